//! What came out: ratios of rounds, as JSON for machines and a table for people.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Context as _;
use serde::Serialize;

use crate::cases::{Better, Case, Figure, Measured};
use crate::probe;
use crate::stats::median;

/// One case, measured on both servers within the same seconds.
#[derive(Debug, Serialize)]
pub(crate) struct Round {
    pub(crate) limit: Measured,
    pub(crate) ours: Measured,
    /// Median of a sync before and after.
    pub(crate) sync_ms: [f64; 2],
    pub(crate) load_average: f64,
}

impl Round {
    fn is_noisy(&self) -> bool {
        probe::is_noisy(self.sync_ms[0], self.sync_ms[1])
    }
}

/// A case and all its rounds.
#[derive(Debug, Serialize)]
pub(crate) struct Series {
    pub(crate) case: Case,
    pub(crate) rounds: Vec<Round>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) daemon: String,
    pub(crate) quick: bool,
    pub(crate) processors: usize,
    pub(crate) series: Vec<Series>,
    pub(crate) rows: Vec<Row>,
}

/// One figure over all rounds.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    case: &'static str,
    figure: Figure,
    /// Measured values behind it: ours in one round, times rounds.
    n: usize,
    rounds: usize,
    noisy: usize,
    limit: Option<f64>,
    ours: f64,
    /// Median of the ratios of single rounds, the smallest and the largest.
    ratio: Option<[f64; 3]>,
    verdict: &'static str,
    sync: &'static str,
    sync_ms: f64,
    load_average: f64,
}

/// The figures of all series; those the daemon has no value for are left out.
pub(crate) fn rows(series: &[Series]) -> Vec<Row> {
    let of = |series| move |figure: &Figure| row(series, *figure);
    series.iter().flat_map(|series| series.case.figures.iter().filter_map(of(series))).collect()
}

fn row(series: &Series, figure: Figure) -> Option<Row> {
    let Series { case, rounds } = series;
    let value = |measured: &Measured| measured.figures.get(figure.name).copied();
    let ours: Vec<f64> = rounds.iter().filter_map(|round| value(&round.ours)).collect();
    let limit: Vec<f64> = rounds.iter().filter_map(|round| value(&round.limit)).collect();
    if ours.is_empty() {
        return None;
    }
    let ratios: Vec<f64> =
        rounds.iter().filter_map(|round| Some(value(&round.ours)? / value(&round.limit)?)).collect();
    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    let most = ratios.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let ratio = (!ratios.is_empty()).then(|| [median(&ratios), least, most]);
    let noisy = rounds.iter().filter(|round| round.is_noisy()).count();
    let syncs: Vec<f64> = rounds.iter().flat_map(|round| round.sync_ms).collect();
    let loads: Vec<f64> = rounds.iter().map(|round| round.load_average).collect();
    Some(Row {
        case: case.name,
        figure,
        n: rounds.first()?.ours.n,
        rounds: rounds.len(),
        noisy,
        limit: (!limit.is_empty()).then(|| median(&limit)),
        ours: median(&ours),
        ratio,
        verdict: verdict(figure, ratio),
        sync: case.sync,
        sync_ms: median(&syncs),
        load_average: median(&loads),
    })
}

/// Judged by the median; undecided if the best and the worst round disagree about it.
fn verdict(figure: Figure, ratio: Option<[f64; 3]>) -> &'static str {
    let (Some(target), Some([middle, least, most])) = (figure.target, ratio) else { return "" };
    let meets = |ratio: f64| match figure.better {
        Better::Lower => ratio <= target,
        Better::Higher => ratio >= target,
    };
    match (meets(middle), meets(least) == meets(most)) {
        (true, true) => "met",
        (true, false) => "met, not in every round",
        (false, true) => "missed",
        (false, false) => "missed, not in every round",
    }
}

impl Report {
    /// Writes `report.json` and `report.md` and returns the table.
    pub(crate) fn write(&self, directory: &Path) -> anyhow::Result<String> {
        std::fs::create_dir_all(directory).context("could not make the report's directory")?;
        std::fs::write(directory.join("report.json"), serde_json::to_string_pretty(self)?)?;
        let table = self.table();
        std::fs::write(directory.join("report.md"), &table)?;
        Ok(table)
    }

    fn table(&self) -> String {
        let mut out = String::from(
            "| case | figure | n × rounds | limit | ours | ours ÷ limit (range) | target | | noisy | sync | probe, ms | load |\n\
             |---|---|---|---|---|---|---|---|---|---|---|---|\n",
        );
        for row in &self.rows {
            let limit = row.limit.map_or_else(|| "–".to_owned(), number);
            let ratio = row.ratio.map_or_else(
                || "–".to_owned(),
                |[middle, least, most]| format!("**{middle:.2}** ({least:.2}–{most:.2})"),
            );
            let Row { case, n, rounds, noisy, verdict, sync, load_average, .. } = row;
            // Writing to a string cannot fail.
            writeln!(
                out,
                "| {case} | {} | {n} × {rounds} | {limit} | {} | {ratio} | {} | {verdict} | {noisy} | {sync} | {} | {load_average:.1} |",
                row.figure.name,
                number(row.ours),
                target(row.figure),
                number(row.sync_ms),
            )
            .ok();
        }
        out
    }
}

fn target(figure: Figure) -> String {
    let sign = match figure.better {
        Better::Lower => "≤",
        Better::Higher => "≥",
    };
    figure.target.map(|target| format!("{sign} {target}")).unwrap_or_default()
}

/// Three figures that count, and thousands apart.
fn number(value: f64) -> String {
    if value >= 1_000.0 {
        let whole = format!("{value:.0}");
        let digits = whole.len();
        let grouped = whole.chars().enumerate().flat_map(|(at, digit)| {
            let comma = at > 0 && (digits - at).is_multiple_of(3);
            comma.then_some(',').into_iter().chain([digit])
        });
        return grouped.collect();
    }
    match value {
        value if value >= 100.0 => format!("{value:.0}"),
        value if value >= 10.0 => format!("{value:.1}"),
        value if value >= 1.0 => format!("{value:.2}"),
        value => format!("{value:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases::{ALL, P50};

    #[test]
    fn numbers_are_short() {
        let shown = [0.0213, 1.5, 21.04, 300.4, 1_234.0, 1_234_567.0].map(number);
        assert_eq!(shown, ["0.021", "1.50", "21.0", "300", "1,234", "1,234,567"]);
    }

    #[test]
    fn a_verdict_says_whether_all_rounds_agree() {
        let lower = Figure { name: P50, better: Better::Lower, target: Some(1.5) };
        let higher = Figure { better: Better::Higher, target: Some(0.5), ..lower };
        assert_eq!(verdict(lower, Some([1.2, 1.1, 1.5])), "met");
        assert_eq!(verdict(lower, Some([1.2, 1.1, 1.6])), "met, not in every round");
        assert_eq!(verdict(higher, Some([0.4, 0.3, 0.6])), "missed, not in every round");
        assert_eq!(verdict(higher, Some([0.4, 0.3, 0.45])), "missed");
        assert_eq!(verdict(Figure { target: None, ..lower }, Some([1.0, 1.0, 1.0])), "");
    }

    #[test]
    fn the_ratio_is_the_median_of_the_ratios_of_rounds() {
        let case = ALL.iter().find(|case| case.name == "fan-out to 100").copied().unwrap();
        let round = |limit, ours| Round {
            limit: Measured::new(1).with(P50, limit),
            ours: Measured::new(1).with(P50, ours),
            sync_ms: [0.1, 0.3],
            load_average: 1.0,
        };
        let rounds = vec![round(1.0, 2.0), round(10.0, 10.0), round(2.0, 6.0)];
        let rows = rows(&[Series { case, rounds }]);
        assert_eq!(rows.len(), 1, "a figure nobody measured is left out");
        assert_eq!(rows[0].ratio, Some([2.0, 1.0, 3.0]));
        assert_eq!((rows[0].noisy, rows[0].verdict), (3, "missed, not in every round"));
    }
}
