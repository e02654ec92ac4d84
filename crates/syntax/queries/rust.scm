; Definitions. A free function becomes a method where a type or an impl is around it.

(function_item name: (_) @name) @function
(function_signature_item name: (_) @name) @function
(macro_definition name: (_) @name) @macro
(struct_item name: (_) @name) @struct
(union_item name: (_) @name) @union
(enum_item name: (_) @name) @enum
(enum_variant name: (_) @name) @variant
(trait_item name: (_) @name) @trait
(type_item name: (_) @name) @type
(associated_type name: (_) @name) @type
(mod_item name: (_) @name) @module
(const_item name: (_) @name) @constant
(static_item name: (_) @name) @variable
(field_declaration name: (_) @name) @field
(let_declaration pattern: (identifier) @name) @variable

(impl_item type: [(type_identifier) (primitive_type)] @name) @scope
(impl_item type: (generic_type type: (type_identifier) @name)) @scope
(impl_item type: (generic_type type: (scoped_type_identifier name: (_) @name))) @scope
(impl_item type: (scoped_type_identifier name: (_) @name)) @scope
(impl_item type: (reference_type type: (type_identifier) @name)) @scope
(impl_item type: [(array_type) (tuple_type) (unit_type) (pointer_type) (function_type) (dynamic_type)]) @scope
(const_item value: (block) @local)
(static_item value: (block) @local)
(closure_expression) @local

; References. Inside of macros only tokens are known: a name before a parenthesis is called.

[
  (identifier)
  (type_identifier)
  (field_identifier)
  (shorthand_field_identifier)
] @identifier

(call_expression function: [
  (identifier) @call
  (scoped_identifier name: (_) @call)
  (field_expression field: (_) @call)
  (generic_function function: [
    (identifier) @call
    (scoped_identifier name: (_) @call)
    (field_expression field: (_) @call)
  ])
])
(macro_invocation macro: [(identifier) @call (scoped_identifier name: (_) @call)])
((token_tree (identifier) @call . (token_tree . "(")))
(use_declaration) @import
(extern_crate_declaration) @import

; Names that are bound locally.

(parameters) @bound
(closure_parameters) @bound
(type_parameters) @bound
(let_declaration pattern: (_) @bound)
(let_condition pattern: (_) @bound)
(match_pattern) @bound
(for_expression pattern: (_) @bound)
