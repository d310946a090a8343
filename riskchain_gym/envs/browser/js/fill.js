// Puts a value into a field in place of what it holds; says whether the field took it.
([key, value]) => {
  const field = held.get(key);
  if (field.readOnly) return false;
  field.focus();
  const fitting = field.maxLength >= 0 ? value.slice(0, field.maxLength) : value;
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value').set.call(field, fitting);
  // A field of numbers or of dates becomes empty by what is neither.
  if (fitting && !field.value) return false;
  field.dispatchEvent(new Event('input', { bubbles: true }));
  field.dispatchEvent(new Event('change', { bubbles: true }));
  return true;
}
