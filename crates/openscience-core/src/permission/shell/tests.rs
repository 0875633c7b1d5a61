use super::*;

#[track_caller]
fn check(line: &str, expected: &[&str]) {
    assert_eq!(commands(line), expected, "{line}");
}

#[test]
fn a_simple_command_is_itself() {
    check("ls -l", &["ls -l"]);
    check("  ls -l\n", &["ls -l"]);
    check("echo 'a; b' \"c && d\" e\\;f", &["echo 'a; b' \"c && d\" e\\;f"]);
    check("echo hi 2>&1 <&3", &["echo hi 2>&1 <&3"]);
    check("echo $HOME ${HOME} \"${A_1}/x\" $? \"$\"", &["echo $HOME ${HOME} \"${A_1}/x\" $? \"$\""]);
    check("echo a#b", &["echo a#b"]);
    check("echo $((40+2)) \"$(( 6 * -7 ))\"", &["echo $((40+2)) \"$(( 6 * -7 ))\""]);
    check("grep é \"👍\"", &["grep é \"👍\""]);
    check("", &[]);
    check(" ; ", &[";"]);
}

#[test]
fn every_command_of_a_line_is_found() {
    check("echo a; rm -rf b", &["echo a", "rm -rf b"]);
    check("echo a && x || y", &["echo a", "x", "y"]);
    check("a | b |& c", &["a", "b", "c"]);
    check("a & b", &["a", "b"]);
    check("a\nb\r\nc", &["a", "b", "c"]);
    check("(a; b) && { c; d; }", &["a", "b", "c", "d"]);
    check("! a", &["a"]);
    check("echo a; echo a", &["echo a"]);
    check("if a; then b; elif c; then d; else e; fi", &["a", "b", "c", "d", "e"]);
    check("for f in *; do\nrm $f\ndone", &["for f in *", "rm $f"]);
    check("while a; do b; done", &["a", "b"]);
    check("echo() { rm x; }; echo a", &["echo", "rm x", "echo a"]);
}

#[test]
fn what_is_run_inside_of_a_command_is_found_too() {
    check("echo $(rm b)", &["rm b", "echo $(rm b)"]);
    check("echo \"x $(rm b; c) y\"", &["rm b", "c", "echo \"x $(rm b; c) y\""]);
    check("echo '$(rm b)'", &["echo '$(rm b)'"]);
    check("echo \\$(rm b)", &["echo \\$", "rm b"]);
    check("echo `rm b`", &["rm b", "echo `rm b`"]);
    check("echo \"`rm b`\"", &["rm b", "echo \"`rm b`\""]);
    check("echo `echo '`; rm b; '`", &["echo", "echo '", "rm b", "'"]);
    check("diff <(a) >(b; c)", &["a", "b", "c", "diff <(a) >(b; c)"]);
    check("echo $(a $(b \"$(c)\"))", &["c", "b \"$(c)\"", "a $(b \"$(c)\")", "echo $(a $(b \"$(c)\"))"]);
    check("echo $((rm b); (c))", &["rm b", "c", "echo $((rm b); (c))"]);
    check("echo $((7) )", &["7", "echo $((7) )"]);
    check("echo $((a[$(rm b)]))", &["rm b", "a[$(rm b)]", "echo $((a[$(rm b)]))"]);
}

#[test]
fn every_file_that_is_written_to_is_found() {
    let file = |redirection: &str, file: &str| {
        let line = format!("echo a {redirection}");
        check(&line, &[&line, file]);
        check(&format!("echo a{redirection} b"), &[&format!("echo a{redirection} b"), file]);
    };
    file(">f", "> f");
    file("> f", "> f");
    file(">\t f", "> f");
    file("> /etc/x", "> /etc/x");
    file(">> ./out/x", "> ./out/x");
    file(">| f", "> f");
    file(">& f", "> f");
    file(">>& f", "> f");
    file(">>| f", "> f");
    file(" 2>f", "> f");
    file(" 2>> f", "> f");
    file(" <>f", "> f");
    file(" {fd}>f", "> f");
    file("> 1", "> 1");
    file(">&1x", "> 1x");
    file("> \\\n f", "> f");
    file("> 'a b'", "> a b");
    file("> \"a b\"c", "> a bc");
    file("> a\\ b", "> a b");
    file("> ../x", "> ../x");
    file("> /dev/nul", "> /dev/nul");
    file("> 👍\u{a0}x", "> 👍\u{a0}x");
    check("echo a > f 2> g", &["echo a > f 2> g", "> f", "> g"]);
    check("a > f; b >> f | c > g", &["a > f", "b >> f", "c > g", "> f", "> g"]);
    check(
        "echo $(a > f) `b > g` \"$(c > h)\"",
        &["a > f", "b > g", "c > h", "echo $(a > f) `b > g` \"$(c > h)\"", "> f", "> g", "> h"],
    );
    check("(a; b) > f", &["a", "b", "> f"]);
    check("{ a; } > f", &["a", "> f"]);
    check("for i in 1; do a; done >> f", &["for i in 1", "a", "> f"]);
    check("echo a &> f", &["echo a", "> f"]);
    check("echo a &>> f", &["echo a", "> f"]);
}

#[test]
fn what_is_written_nowhere_or_to_what_is_open_is_no_file() {
    for line in [
        "echo a > /dev/null",
        "echo a >/dev/null 2>&1",
        "echo a 2>'/dev/null'",
        "echo a >&2",
        "echo a 1>& 2",
        "echo a >&-",
        "echo a 3>&2-",
        "echo '> f' \"> f\" \\> f",
        "cat < f",
        "echo $((1 + 2))",
    ] {
        check(line, &[line]);
    }
    check("echo a &>/dev/null", &["echo a"]);
    check("echo a > >(b)", &["b", "echo a > >(b)"]);
}

#[test]
fn a_file_that_is_not_known_yet_is_told_within_quotes() {
    let file = |file: &str, told: &str| check(&format!("echo > {file}"), &[&format!("echo > {file}"), told]);
    file("$HOME/x", "> \"$HOME/x\"");
    file("./out/$x", "> \"./out/$x\"");
    file("\"./out/${x}\"", "> \"\"./out/${x}\"\"");
    file("./out/*", "> \"./out/*\"");
    file("./out/.?/x", "> \"./out/.?/x\"");
    file("./{a,b}", "> \"./{a,b}\"");
    file("./out/../x", "> \"./out/../x\"");
    file("./../x", "> \"./../x\"");
    file("'/../x'", "> \"/../x\"");
    file("''", "> \"\"");
    check("echo > $(a)", &["a", "echo > $(a)", "> \"$(a)\""]);
    check("echo > ./x`a`", &["a", "echo > ./x`a`", "> \"./x`a`\""]);
}

#[test]
fn a_redirection_before_a_command_hides_it_not() {
    check("> f", &["> f"]);
    check("> f rm x", &["rm x", "> f"]);
    check(">f>g 2>&1 rm x", &["rm x", "> f", "> g"]);
    check("2>/dev/null rm x", &["rm x"]);
    check("{fd}>f rm x", &["rm x", "> f"]);
    check("if >f rm x; then ! > g rm y; fi", &["rm x", "rm y", "> f", "> g"]);
    check("if>f rm x", &["rm x", "> f"]);
    check("echo a &> f rm x", &["echo a", "rm x", "> f"]);
    check("2 > f", &["2 > f", "> f"]);
    check("iffy> f", &["iffy> f", "> f"]);
    check("> /dev/null", &["> /dev/null"]);
    // Where the file's name may end anywhere.
    check("> 'a rm x", &["… > 'a rm x", "> \"'a\""]);
    check("if > f rm x # it's", &["… > f rm x # it's", "> f"]);
}

#[test]
fn files_are_found_in_any_quoting_too() {
    check("cat > ./out/x <<'E'\nb\nE", &["cat > ./out/x <<'E'", "b", "E", "> ./out/x"]);
    check("echo 'it' > f's", &["echo 'it' > f's", "> \"f's\""]);
    check("x' 2>&1 >/dev/null >>f", &["x' 2>", "1 >/dev/null >>f", "> f"]);
    check("x' >|f >& g", &["x' >", "f >", "g", "> f", "> g"]);
    check("x' > a`b`", &["x' > a", "b", "> \"a\""]);
    check("x' > ./a/../b", &["x' > ./a/../b", "> \"./a/../b\""]);
    check("x' > $y", &["x' > $y", "> \"$y\""]);
    check("x' > >(y)", &["x' > >", "y"]);
    check("echo a > ; b", &["echo a >", "b"]);
    check("echo a > #f", &["echo a > #f", "> \"#f\""]);
    check("echo a > f(x)", &["echo a > f", "x", "> \"f\""]);
}

#[test]
fn where_quoting_is_beyond_it_every_mark_splits() {
    check("echo 'a; b", &["echo 'a", "b"]);
    check("echo \"a; b", &["echo \"a", "b"]);
    check("echo $'\\''; rm b #'", &["echo $'\\''", "rm b #'"]);
    check("echo $\"a;b\"", &["echo $\"a", "b\""]);
    check("echo a # it's\nrm b #'", &["echo a # it's", "rm b #'"]);
    check("cat <<'E'\n'\nE\nrm b '", &["cat <<'E'", "'", "E", "rm b '"]);
    check("echo \"${x:-\"a'b\"}\"; rm y; echo 'c'd'", &["echo \"${x:-\"a'b\"}\"", "rm y", "echo 'c'd'"]);
    check("echo 'a\\'; rm b; '", &["echo 'a\\'", "rm b", "'"]);
    check("echo `echo \\`rm b\\``", &["echo", "echo \\", "rm b\\"]);
    check("case x in a) rm b;; esac", &["case x in a", "rm b"]);
    check("echo a)", &["echo a"]);
    check("echo $(a", &["echo $", "a"]);
}

#[test]
fn a_long_or_deep_line_is_split_all_the_same() {
    let deep = format!("echo {}rm b{}", "$(".repeat(1_000), ")".repeat(1_000));
    assert!(commands(&deep).contains(&"rm b".to_owned()));
    let long = format!("echo '{}'; rm b", "x".repeat(LINE_BYTES_MAX));
    assert!(commands(&long).contains(&"rm b".to_owned()));
    assert_eq!(commands(&"a;b;".repeat(100_000)), ["a", "b"]);
    for some in [">", ">f", ">f ", "if >f ", "> \"", "a>'b'"] {
        let line = some.repeat(30_000 / some.len());
        assert!(!commands(&line).is_empty() && !commands(&format!("{line}'")).is_empty());
    }
}
