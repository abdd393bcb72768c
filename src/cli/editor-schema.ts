/**
 * The flow language as a single JSON Schema for editors: completion, descriptions and a first validation. Generated
 * from `schemas/`, which do not spell out templates and the single verb of a step. `callweave check` finds errors that
 * a schema cannot express (routes, loops, prompts, expressions); it also rejects everything that this schema rejects.
 *
 * Uses draft 7, which editors support best.
 */
import { isObject, type Json, type JsonObject, mapValues } from '../base/core/json.ts';
import { readSchema } from '../base/schema/schema-files.ts';
import { flowSchema, stepSchema, UNCHECKED_KEYWORDS, verbSchemas } from '../base/schema/schema-forms.ts';
import { factsOf } from '../language/flow/verb-facts.ts';
import { defaultOf } from './schema-tables.ts';

/** Shared definitions. Variants that accept no template have the suffix `PLAIN`. */
const PLAIN = '.plain';
const TEMPLATE: JsonObject = { $ref: '#/definitions/template' };
const DROPPED_KEYWORDS = new Set([...UNCHECKED_KEYWORDS, 'code', 'says', 'title', 'default']);

const shared = {
  ...(readSchema('components')['$defs'] as JsonObject),
  ...(flowSchema['$defs'] as JsonObject),
};

export function editorSchema(): JsonObject {
  const maker = new EditorSchemaBuilder();
  const root = maker.plain(flowSchema) as JsonObject;
  const { properties } = root as { properties: JsonObject };
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $comment: 'Made by `callweave reference schema` of the schemas beside this folder: edit those, then make it again.',
    ...root,
    title: 'Callweave flow',
    properties: {
      ...properties,
      steps: {
        ...(properties['steps'] as JsonObject),
        additionalProperties: { $ref: '#/definitions/step' },
      },
      flows: { ...(properties['flows'] as JsonObject), additionalProperties: { $ref: '#/definitions/localFlow' } },
    },
    definitions: {
      localFlow: localFlowOf(properties),
      step: stepOf(maker),
      template: { type: 'string', pattern: '\\$\\{' },
      ...maker.parts(),
    },
  };
}

/** A flow under `flows` has the keys of a file, except for the name, which is its key, and `flows`. */
function localFlowOf(properties: JsonObject): JsonObject {
  const keys = Object.keys(properties).filter((key) => key !== 'flow' && key !== 'flows');
  return {
    type: 'object',
    additionalProperties: false,
    required: ['start', 'steps'],
    properties: Object.fromEntries(keys.map((key) => [key, { $ref: `#/properties/${key}` }])),
  };
}

/** Schema of the properties file next to a flow. */
export function propertiesEditorSchema(): JsonObject {
  const maker = new EditorSchemaBuilder();
  const root = maker.plain((flowSchema['properties'] as JsonObject)['properties']!) as JsonObject;
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $comment: 'Made by `callweave reference properties-schema` of the schemas beside this folder.',
    ...root,
    title: 'Properties of a Callweave flow',
    definitions: maker.parts(),
  };
}

/** Every step lists all verbs and the common keys, so that editors offer them; exactly one verb is required. */
function stepOf(maker: EditorSchemaBuilder): JsonObject {
  const verbs = [...verbSchemas.keys()];
  const isAssigning = (verb: string): boolean => factsOf(verb).form === 'assignments';
  const alone = verbs.filter((verb) => !isAssigning(verb)).map((verb): JsonObject => ({ required: [verb] }));
  return {
    type: 'object',
    description: 'A step: one verb, where its outcomes lead, and what holds for any step.',
    additionalProperties: false,
    // Assignments can accompany another verb, or be the only one.
    oneOf: [...alone, ...verbs.filter(isAssigning).map((verb) => ({ required: [verb], not: { anyOf: alone } }))],
    properties: {
      ...Object.fromEntries(verbs.map((verb) => [verb, maker.written(verbSchemas.get(verb)!)])),
      ...(maker.written({ properties: stepSchema['properties']! }) as { properties: JsonObject }).properties,
    },
  };
}

class EditorSchemaBuilder {
  readonly #parts = new Map<string, Json>();

  parts(): JsonObject {
    return Object.fromEntries([...this.#parts].sort(([a], [b]) => a.localeCompare(b)));
  }

  /** Variant without templates. */
  plain(schema: Json): Json {
    return this.#made(schema, true);
  }

  /** Variant in which values may be templates. */
  written(schema: Json): Json {
    return this.#made(schema, false);
  }

  #made(schema: Json, fixed: boolean): Json {
    if (!isObject(schema)) return schema;
    const plain = schema['static'] === true || (fixed && schema['templates'] !== true);
    const made: JsonObject = {};
    for (const [key, value] of Object.entries(schema)) {
      if (DROPPED_KEYWORDS.has(key)) continue;
      if (key === '$ref') made[key] = this.#part((value as string).split('/').at(-1)!, plain);
      else if (key === 'properties') made[key] = mapValues(value as JsonObject, (inner) => this.#made(inner, plain));
      else if (key === 'items' || key === 'additionalProperties') made[key] = this.#made(value, plain);
      else if (key === 'propertyNames') made[key] = this.#made(value, true);
      else if (key === 'anyOf') made[key] = (value as Json[]).map((branch) => this.#made(branch, plain));
      else made[key] = value;
    }
    const byDefault = defaultOf(schema);
    if (byDefault !== '') made['description'] = `${made['description'] ?? ''} Default: ${byDefault}.`.trim();
    // Editors show it instead of the pattern.
    if (made['pattern'] !== undefined && schema['says'] !== undefined) made['patternErrorMessage'] = schema['says'];
    // Referenced definitions already accept templates where allowed, and unrestricted texts accept them anyway.
    const isOpen = plain || !('type' in made || 'anyOf' in made || 'enum' in made);
    const isText = made['type'] === 'string' && made['pattern'] === undefined && made['enum'] === undefined;
    return isOpen || isText ? made : orTemplate(made);
  }

  #part(name: string, plain: boolean): string {
    const known = plain ? `${name}${PLAIN}` : name;
    if (!this.#parts.has(known)) {
      this.#parts.set(known, true);
      this.#parts.set(known, this.#made(shared[name]!, plain));
    }
    return `#/definitions/${known}`;
  }
}

function orTemplate({ description, ...rules }: JsonObject): JsonObject {
  const { anyOf } = rules;
  const forms = Array.isArray(anyOf) && Object.keys(rules).length === 1 ? anyOf : [rules];
  return {
    ...(description === undefined ? {} : { description }),
    anyOf: forms.some((form) => isObject(form) && form['$ref'] === TEMPLATE['$ref']) ? forms : [...forms, TEMPLATE],
  };
}
