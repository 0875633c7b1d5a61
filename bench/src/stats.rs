//! What do many numbers say? Quantiles and medians, nothing else.

/// The value at `share` (0 to 1) of the sorted values; NaN if there are none.
pub(crate) fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().saturating_sub(1);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a place between 0 and the last"
    )]
    let place = (last as f64 * share).round() as usize;
    sorted.get(place).copied().unwrap_or(f64::NAN)
}

/// The middle value; of an even number of values the mean of the two in the middle.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    match (sorted.get(half), half.checked_sub(1).and_then(|before| sorted.get(before))) {
        (Some(upper), Some(lower)) if sorted.len().is_multiple_of(2) => f64::midpoint(*upper, *lower),
        (Some(middle), _) => *middle,
        (None, _) => f64::NAN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_values_that_were_measured() {
        let values = [4.0, 1.0, 3.0, 2.0, 5.0];
        let check = |share, expected: f64| assert!((quantile(&values, share) - expected).abs() < 1e-9);
        check(0.0, 1.0);
        check(0.5, 3.0);
        check(0.99, 5.0);
        assert!(quantile(&[], 0.5).is_nan());
    }

    #[test]
    fn the_median_of_an_even_number_lies_between_two() {
        let check = |values: &[f64], expected: f64| assert!((median(values) - expected).abs() < 1e-9);
        check(&[3.0], 3.0);
        check(&[4.0, 1.0], 2.5);
        check(&[4.0, 1.0, 9.0], 4.0);
        assert!(median(&[]).is_nan());
    }
}
