//! Traits and annotations that are known: which members each of them brings to a type.

use syntax::Language;

/// Traits of Rust, derived or written, and the methods that a type has by each.
const TRAITS: [(&str, &str); 47] = [
    ("Args", "augment_args augment_args_for_update from_arg_matches group_id"),
    ("AsMut", "as_mut"),
    ("AsRef", "as_ref"),
    ("AsyncRead", "read read_exact read_to_end read_to_string chain take"),
    ("AsyncWrite", "write write_all flush close shutdown"),
    ("Borrow", "borrow"),
    ("BufRead", "lines split read_line read_until skip_until has_data_left"),
    ("Clone", "clone clone_from to_owned clone_into into_owned"),
    ("Copy", "clone"),
    ("Debug", "fmt"),
    ("Default", "default"),
    ("Deserialize", "deserialize deserialize_in_place"),
    ("Display", "fmt to_string"),
    (
        "DoubleEndedIterator",
        "next_back nth_back rev rfind rfold rposition try_rfold advance_back_by",
    ),
    ("Drop", "drop"),
    ("Eq", ""),
    (
        "Error",
        "source description cause provide fmt to_string is downcast downcast_ref downcast_mut",
    ),
    ("ExactSizeIterator", "len is_empty"),
    ("Extend", "extend extend_one"),
    ("From", "from into"),
    ("FromIterator", "from_iter collect"),
    ("FromStr", "from_str parse"),
    ("Future", "poll into_future"),
    ("Hash", "hash hash_slice"),
    ("Hasher", "finish write write_u8 write_u16 write_u32 write_u64 write_usize write_str"),
    ("Index", "index"),
    ("IndexMut", "index_mut"),
    ("Into", "into"),
    ("IntoIterator", "into_iter"),
    (
        "Iterator",
        "next all any array_chunks by_ref chain cloned cmp cmp_by collect collect_into copied count \
         cycle enumerate eq eq_by filter filter_map find find_map flat_map flatten fold for_each fuse \
         ge gt inspect intersperse into_iter is_partitioned is_sorted is_sorted_by last le lt map \
         map_while map_windows max max_by max_by_key min min_by min_by_key ne next_chunk nth \
         partial_cmp partition peekable position product reduce rev rposition scan size_hint skip \
         skip_while step_by sum take take_while try_collect try_find try_fold try_for_each \
         try_reduce unzip zip advance_by",
    ),
    ("JsonSchema", "schema_name schema_id json_schema inline_schema is_referenceable"),
    ("Ord", "cmp max min clamp"),
    (
        "Parser",
        "parse parse_from try_parse try_parse_from update_from try_update_from command \
         command_for_update from_arg_matches from_arg_matches_mut group_id augment_args",
    ),
    ("PartialEq", "eq ne"),
    ("PartialOrd", "partial_cmp lt le gt ge"),
    (
        "Read",
        "read read_to_string read_to_end read_exact read_buf read_vectored bytes chain take by_ref",
    ),
    ("Seek", "seek rewind stream_position stream_len seek_relative"),
    ("Send", ""),
    ("Serialize", "serialize"),
    ("Subcommand", "augment_subcommands has_subcommand from_arg_matches"),
    ("Sync", ""),
    ("ToOwned", "to_owned clone_into"),
    ("ToString", "to_string"),
    ("TryFrom", "try_from try_into"),
    ("TryInto", "try_into"),
    ("Unpin", ""),
    ("Write", "write write_all write_fmt write_str write_char write_vectored flush by_ref"),
];
/// Attributes of Rust that add nothing to a type.
const ATTRIBUTES: &str = "allow arg async_trait automatically_derived cfg cfg_attr clap clippy command \
     default deny deprecated derive doc error expect forbid garde inline must_use non_exhaustive \
     repr rustfmt schemars serde strum test validate warn wasm_bindgen";
/// Decorators of classes of Python that add no method that is called by its name.
const DECORATORS: &str = "dataclass dataclasses.dataclass final typing.final runtime_checkable \
     typing.runtime_checkable unique enum.unique functools.total_ordering total_ordering \
     override_settings patch mock.patch";
/// Annotations of Java that add nothing to the source.
const ANNOTATIONS: &str = "ApplicationScoped Bean Component ComponentScan Configuration Controller \
     ControllerAdvice Deprecated DisplayName Document Embeddable EnableAutoConfiguration Entity \
     ExtendWith FunctionalInterface Generated Inherited JsonIgnoreProperties JsonInclude \
     JsonPropertyOrder JsonSubTypes JsonTypeInfo MappedSuperclass Named Nullable Override Path \
     Produces Repository RequestMapping RequestScoped RestController RestControllerAdvice Retention \
     RunWith SafeVarargs Service Singleton SpringBootApplication SpringBootTest SuppressWarnings \
     Table Target Transactional Validated WebMvcTest XmlRootElement";
/// Annotations of lombok, which make methods for the fields of a type.
const LOMBOK: &str = "Accessors AllArgsConstructor Builder CommonsLog Data EqualsAndHashCode \
     FieldDefaults Getter Log Log4j Log4j2 NoArgsConstructor RequiredArgsConstructor Setter Slf4j \
     SuperBuilder ToString Value With XSlf4j";

/// The methods that a trait of Rust gives to a type; `None` if it is not known.
pub(super) fn methods(path: &str) -> Option<impl Iterator<Item = &'static str>> {
    let name = path.split('<').next().unwrap_or(path);
    let name = name.rsplit("::").next().unwrap_or(name).trim();
    let (_, methods) = TRAITS.iter().find(|(known, _)| *known == name)?;
    Some(methods.split_whitespace())
}

/// Whether an annotation of a type makes no members of it, or those that its fields tell.
pub(super) fn is_plain(language: Language, name: &str, text: &str) -> bool {
    let (list, name) = match language {
        Language::Rust => (ATTRIBUTES, name.split("::").next().unwrap_or(name)),
        Language::Python => (DECORATORS, name),
        Language::Java => (ANNOTATIONS, name.rsplit('.').next().unwrap_or(name)),
        _ => return false,
    };
    let has = |list: &str| list.split_whitespace().any(|known| known == name);
    let is_tested = name.starts_with("pytest.") || name.starts_with("unittest.");
    has(list)
        || language == Language::Python && is_tested
        || language == Language::Java && text.contains("lombok") && has(LOMBOK)
}
