/** Masks secrets in URLs for display. Requests use the original URL. */

/** Replacement of a masked part. */
export const MASK = '•••';

/** Masks credentials, query values and the fragment; query names stay. */
export function maskUrl(url: string): string {
  // Parsed like WHATWG URL: any number of slashes or backslashes, line breaks ignored.
  const text = url.replace(/[\t\r\n]/g, '').replace(/^(\s*[a-z][a-z0-9+.-]*:[\\/]*)[^\\/?#]*@/i, `$1${MASK}@`);
  const [, target = '', query = '', fragment = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(text) ?? [];
  return target + query.replace(/([?&])([^&]*)/g, maskedParameter) + (fragment.length > 1 ? `#${MASK}` : fragment);
}

function maskedParameter(_all: string, mark: string, parameter: string): string {
  const equals = parameter.indexOf('=');
  if (parameter === '' || equals === parameter.length - 1) return mark + parameter;
  return equals < 0 ? mark + MASK : `${mark}${parameter.slice(0, equals)}=${MASK}`;
}

const URL_TEXT = /^\s*(https?|wss?):/i;

/** Masks every URL inside of a value. In a text with an expression, only the part before the expression is masked. */
export function maskUrls<Value>(value: Value): Value {
  if (typeof value === 'string') return (URL_TEXT.test(value) ? maskedTemplate(value) : value) as Value;
  if (Array.isArray(value)) return value.map((inner) => maskUrls(inner)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, maskUrls(inner)])) as Value;
}

function maskedTemplate(text: string): string {
  const at = text.indexOf('${');
  return at < 0 ? maskUrl(text) : maskUrl(text.slice(0, at)) + text.slice(at);
}
