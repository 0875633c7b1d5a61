use std::sync::Arc;

use openscience_protocol::row::SessionMeta;
use openscience_protocol::{AgentId, Workspace};

use super::*;

fn row(project: &str) -> SessionRow {
    SessionRow {
        id: "ses_a".parse().unwrap(),
        project_id: project.parse().unwrap(),
        directory: "/a \"b\"".to_owned(),
        workspace: Workspace::Project,
        parent_id: None,
        title: "Title".to_owned(),
        agent: AgentId::from("sim"),
        permission: None,
        deadline_ms: None,
        version: "1".to_owned(),
        created: 1,
        updated: 1,
        archived: None,
        pinned: None,
        deleting: false,
        revision: 0,
        latest_sequence: 0,
        latest_message: 0,
        meta: SessionMeta::default(),
    }
}

fn listener(bus: &Bus, project: Option<&str>) -> Listener {
    let open = Subscription::open(&Arc::default(), 1).unwrap();
    let project = project.map(|project| project.parse().unwrap());
    Listener { facts: bus.facts.subscribe(), project, _open: open }
}

fn event(event_type: &'static str, properties: &str) -> NewEvent {
    let body = format!(
        r#"{{"runID":"run_1","type":"{event_type}","kind":"system","properties":{properties},"time":5}}"#
    );
    NewEvent { event_type, body }
}

fn idle() -> EventBody {
    EventBody::SessionIdle { session_id: "ses_a".parse().unwrap() }
}

async fn text(listener: &mut Listener) -> Option<String> {
    listener.next().await.map(|frame| String::from_utf8(frame.to_vec()).unwrap())
}

#[tokio::test]
async fn a_fact_is_one_data_line_of_its_type_and_its_properties() {
    let bus = Bus::new(1 << 18);
    let (mut one, mut all) = (listener(&bus, Some("prj_a")), listener(&bus, None));
    bus.publish(&row("prj_a"), &[event("turn.updated", r#"{"state":"ready","properties":1}"#)], &[]);
    let payload = r#"{"type":"turn.updated","properties":{"state":"ready","properties":1}}"#;
    assert_eq!(text(&mut one).await.unwrap(), format!("data: {payload}\n\n"));
    let whole = format!("data: {{\"directory\":\"/a \\\"b\\\"\",\"payload\":{payload}}}\n\n");
    assert_eq!(text(&mut all).await.unwrap(), whole);
}

#[tokio::test]
async fn what_is_told_beside_the_journal_keeps_its_place() {
    let bus = Bus::new(1 << 18);
    let mut all = listener(&bus, None);
    let asides = [0, 1, 2].map(|after| Aside { after, body: idle() });
    bus.publish(&row("prj_a"), &[event("first", "{}"), event("second", "{}")], &asides);
    let mut order = Vec::new();
    for _ in 0..5 {
        let frame = text(&mut all).await.unwrap();
        order
            .push(["first", "second", "session.idle"].into_iter().find(|word| frame.contains(word)).unwrap());
    }
    assert_eq!(order, ["session.idle", "first", "session.idle", "second", "session.idle"]);
}

#[tokio::test]
async fn a_listener_of_a_project_hears_nothing_of_others() {
    let bus = Bus::new(1 << 18);
    let mut one = listener(&bus, Some("prj_b"));
    bus.tell(&row("prj_a"), &idle());
    bus.publish(&row("prj_b"), &[event("mine", "{}")], &[]);
    assert!(text(&mut one).await.unwrap().contains("mine"));
}

#[tokio::test]
async fn a_listener_that_falls_behind_is_closed() {
    let bus = Bus::new(1 << 18);
    let mut slow = listener(&bus, None);
    for _ in 0..=FACTS_WAITING.next_power_of_two() {
        bus.tell(&row("prj_a"), &idle());
    }
    assert_eq!(text(&mut slow).await, None);
}

#[test]
fn nobody_is_heard_once_the_last_listener_left() {
    let bus = Bus::new(1 << 18);
    assert!(!bus.is_heard());
    let one = listener(&bus, None);
    assert!(bus.is_heard());
    drop(one);
    assert!(!bus.is_heard());
    bus.publish(&row("prj_a"), &[event("lost", "{}")], &[]);
}
