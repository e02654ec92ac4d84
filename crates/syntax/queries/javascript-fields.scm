; What JavaScript says in other words than TypeScript.

(field_definition
  property: [(property_identifier) (private_property_identifier) (computed_property_name)] @name
  value: [(arrow_function) (function_expression)]) @method
(field_definition property: [(property_identifier) (private_property_identifier) (computed_property_name)] @name) @field
