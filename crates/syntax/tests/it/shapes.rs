//! Shapes of code that look like definitions and are none, and definitions that look like others.

use syntax::Language;

/// The kinds and names of the symbols of a source.
#[track_caller]
fn check(language: Language, source: &str, expected: &str) {
    let symbols = crate::symbols(language, source.as_bytes());
    let names: Vec<String> =
        symbols.iter().map(|s| format!("{} {}", s.kind.as_str(), s.name)).collect();
    assert_eq!(names.join(", "), expected, "{source}");
}

#[test]
fn a_promise_that_something_is_defined_elsewhere_defines_nothing() {
    let c = |source, expected| check(Language::C, source, expected);
    c("int f(void);\nextern int *g(int a), h;\nint f(void) { return 0; }\n", "function f");
    c("extern int a, b[];\nextern int c = 1;\nint d;\n", "variable c, variable d");
    c("int (*callback)(int);\n", "variable callback");
    let cpp = |source, expected| check(Language::Cpp, source, expected);
    cpp("template <class T> T f(T);\nclass A;\nnamespace n { void g(); }\n", "module n");
    cpp(
        "class A { A(int); virtual void f() = 0; template <class T> void g(T);\n#if X\n~A();\n#endif\nfriend void h(A); };\n",
        "class A, method A, method f, method g, method ~A",
    );
}

#[test]
fn a_name_that_a_macro_makes_is_the_name() {
    let c = |source, expected| check(Language::C, source, expected);
    c("typedef int CALLBACK(on_read)(const char *text, int n);\n", "type on_read");
    c("struct s { int CALLBACK(push)(int a); };\n", "struct s, method push");
    c("int PREFIX(open)(const char *path) { return 1; }\n", "function open");
    c("const entry PRIVATE(table)[] = { 1 };\n", "variable table");
    c("typedef unsigned char uint8_t;\n", "type uint8_t");
}

#[test]
fn what_macros_break_is_not_told_as_something_else() {
    check(Language::Cpp, "BEGIN_DECLS\ntypedef struct {\n  int a;\n} foo;\n", "");
    check(Language::C, "EXTERN long EXPORT seek(FILE *f);\n", "");
    check(Language::C, "void A B C f(int x) {\n  int y;\n  { int z; }\n}\n", "function f");
}

#[test]
fn a_type_written_where_it_is_used_has_no_symbols() {
    let ts = |source, expected| check(Language::TypeScript, source, expected);
    ts(
        "function f(o: { a: number; b(): void }): { c: string } { return o as { d: 1 }; }\n",
        "function f",
    );
    ts("const x: Map<string, { a: number }> = g<{ b: string }>();\n", "constant x");
    ts("type A<T extends { b: string }> = { c: { d: string } };\n", "type A, property c");
    ts(
        "interface A { b: { c: string }; 'd-e': number; f(g: { h: number }): void }\n",
        "interface A, property b, property d-e, method f",
    );
    ts(
        "class A { b: { c: string }; constructor(private d: { e: number }) {} }\n",
        "class A, field b, method constructor, property d",
    );
}

#[test]
fn names_taken_out_of_a_value_are_variables_with_their_defaults_and_rests() {
    check(
        Language::JavaScript,
        "const { a, b: c, d = 1, ...e } = x;\nlet [f, , g = 2, ...h] = y;\n",
        "variable a, variable c, variable d, variable e, variable f, variable g, variable h",
    );
}
