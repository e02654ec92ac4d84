; Definitions, those of C++ too. The name stands somewhere in the declarator.

(function_definition declarator: (_) @declarator) @function
(preproc_function_def name: (_) @name) @macro
(preproc_def name: (_) @name) @macro
(struct_specifier name: (type_identifier) @name body: (_)) @struct
(union_specifier name: (type_identifier) @name body: (_)) @union
(enum_specifier name: (_) @name body: (_)) @enum
(enumerator name: (_) @name) @variant
(type_definition type: (struct_specifier !name body: (_)) declarator: (_) @declarator) @struct
(type_definition type: (union_specifier !name body: (_)) declarator: (_) @declarator) @union
(type_definition type: (enum_specifier !name body: (_)) declarator: (_) @declarator) @enum
(type_definition declarator: (_) @declarator) @type
(field_declaration declarator: (_) @declarator) @field
(declaration declarator: (_) @declarator) @variable

; A body whose head cannot be read, mostly for its macros, is one all the same.
(compound_statement) @local

; References.

[(identifier) (type_identifier) (field_identifier)] @identifier
(call_expression function: [
  (identifier) @call
  (field_expression field: (field_identifier) @call)
])

; Names that are bound locally.

(parameter_list) @bound
