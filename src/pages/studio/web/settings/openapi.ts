/** Schemas of request bodies from the service's OpenAPI description, for forms. */
import { request } from '../api.ts';

export interface OpenApiSchema {
  type?: string | string[];
  title?: string;
  description?: string;
  default?: unknown;
  enum?: readonly string[];
  required?: readonly string[];
  properties?: Readonly<Record<string, OpenApiSchema>>;
  items?: OpenApiSchema;
  anyOf?: readonly OpenApiSchema[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  $ref?: string;
}

interface Description {
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema: OpenApiSchema }> } }>>;
  components: { schemas: Record<string, OpenApiSchema> };
}

let loaded: Promise<Description> | undefined;

/** Schema of a request body, with references resolved. */
export async function bodySchema(method: 'post' | 'put' | 'patch', path: string): Promise<OpenApiSchema> {
  loaded ??= request<Description & Record<string, never>>('/openapi.json');
  const { paths, components } = await loaded;
  const written = paths[path]?.[method]?.requestBody?.content['application/json']?.schema;
  if (!written) throw new Error(`${method} ${path} takes no JSON`);
  return resolved(written, components.schemas);
}

const PREFIX = '#/components/schemas/';

function resolved(schema: OpenApiSchema, known: Readonly<Record<string, OpenApiSchema>>): OpenApiSchema {
  const { $ref, ...own } = schema;
  const base = $ref?.startsWith(PREFIX) ? known[$ref.slice(PREFIX.length)] : undefined;
  const whole: OpenApiSchema = base ? { ...resolved(base, known), ...own } : own;
  return {
    ...whole,
    ...(whole.properties && {
      properties: Object.fromEntries(
        Object.entries(whole.properties).map(([name, each]) => [name, resolved(each, known)]),
      ),
    }),
    ...(whole.items && { items: resolved(whole.items, known) }),
    ...(whole.anyOf && { anyOf: whole.anyOf.map((each) => resolved(each, known)) }),
  };
}
