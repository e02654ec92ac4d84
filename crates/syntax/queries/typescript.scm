; What TypeScript has beyond JavaScript.

(abstract_class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(type_alias_declaration name: (_) @name) @type
(enum_declaration name: (_) @name) @enum
(enum_body [(property_identifier) (string)] @name @variant)
(enum_body (enum_assignment name: [(property_identifier) (string)] @name) @variant)
(internal_module name: [(identifier) (nested_identifier)] @name) @module
(module name: [(identifier) (nested_identifier) (string)] @name) @module
(function_signature name: (_) @name) @function
(method_signature name: [(property_identifier) (private_property_identifier)] @name) @method
(abstract_method_signature name: [(property_identifier) (private_property_identifier)] @name) @method
(public_field_definition
  name: [(property_identifier) (private_property_identifier)] @name
  value: [(arrow_function) (function_expression)]) @method
(public_field_definition
  name: [(property_identifier) (private_property_identifier) (computed_property_name)] @name) @field
(property_signature name: [(property_identifier) (string)] @name) @property
(required_parameter (accessibility_modifier) pattern: (identifier) @name) @property

; A type that is written out where it is used is part of what uses it.
[(type_annotation) (type_arguments) (constraint)] @inline
(as_expression (object_type) @inline)
(satisfies_expression (object_type) @inline)

; References.

(type_identifier) @identifier
; `await fetch<T>()` is read as a call of `await fetch`.
(call_expression function: (await_expression [
  (identifier) @call
  (member_expression property: (_) @call)
]))
(extends_clause value: (identifier) @identifier)

; Names that are bound locally.

(type_parameter name: (_) @bound)
(infer_type (type_identifier) @bound)
(mapped_type_clause name: (_) @bound)
