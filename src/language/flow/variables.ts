/** Reads the declarations of variables and inputs of a flow. */
import { isObject, type Json, type JsonObject, mapValues } from '../../base/core/json.ts';
import { compileCheck, schemaProblem } from '../../base/schema/compile-check.ts';
import { childPointer } from '../../base/schema/document.ts';
import { type VariableSpec, variableSpec } from './declared-values.ts';

export function declaredVariables(
  written: Json | undefined,
  pointer: string,
  complain: (code: string, message: string, pointer: string) => void,
): Record<string, VariableSpec> {
  if (!isObject(written)) return {};
  return mapValues(written, (declared, name): VariableSpec => {
    const spec = variableSpec(declared as JsonObject);
    const { schema, default: initial } = spec;
    const at = childPointer(pointer, name);
    const problem = schemaProblem(schema);
    if (problem !== undefined) complain('bad-schema', `this is not a usable JSON Schema: ${problem}`, at);
    else if (initial !== undefined) {
      const wrong = compileCheck(schema)(initial);
      if (wrong !== undefined)
        complain('wrong-default', `the default does not fit: ${wrong}`, childPointer(at, 'default'));
    }
    return spec;
  });
}
