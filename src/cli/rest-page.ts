/** `docs/rest.md`: the HTTP API, with the bodies as their schemas have them. */
import { made, page, readSchema, type Tables, table } from './schema-tables.ts';

const ROUTES = `| route | does |
|---|---|
| \`POST /voice/v1/call\` | dials out; body: [dial out](#dial-out) |
| \`GET /voice/v1/call/{voice_id}\` | says where a call is: \`state\`, \`direction\`, and while it lives \`flow\` and \`step\` |
| \`PUT /voice/v1/call/{voice_id}/play\` | plays a prompt, or asks for digits; body: [play](#play) |
| \`POST /voice/v1/call/{voice_id}/accept\` | answers an incoming call that waits for it |
| \`POST /voice/v1/call/{voice_id}/event\` | gives the call's flow an event; body: [event](#event) |
| \`DELETE /voice/v1/call/{voice_id}\` | hangs up |
| \`GET /health\` | 200 when calls are taken, 503 while the service stops; no credentials |`;

const ERRORS = `| status | \`result\` | when |
|---|---|---|
| 400 | 400 | the body is no JSON, or does not fit; \`hint\` says what to do |
| 400 | 6118 | \`from\` is not a number of the project |
| 401 | 401 | no credentials, or wrong ones |
| 404 | 404 | no such call, or it is another project's |
| 404 | 6110 | no such flow |
| 406 | 6117 | the voice or the language is not there |
| 408 | 6114 | another prompt is playing |
| 409 | 409 | the call is in a state that does not take this |
| 422 | 422 | the flow in the body does not compile (\`diagnostics\`), or its input does not fit |
| 429 | 429 | too many requests; \`Retry-After\` says when |
| 501 | 501 | documented, but not part of this version |
| 503 | 503 | no room for another call |`;

const EXAMPLE = `\`\`\`sh
curl -u APP_ID:APP_KEY http://127.0.0.1:8080/voice/v1/call -H 'content-type: application/json' \\
  -d '{"from": "1000", "to": "+33612345678", "flow": "survey", "input": {"customer": "c-17"},
       "event_url": "https://shop.example/events"}'
\`\`\`
\`\`\`json
{ "voice_id": "3f2c…", "state": "initiated", "status": "initiated", "msg": "", "from": "1000", "to": "+33612345678", "timestamp": "…" }
\`\`\``;

export function restPage(): string {
  const tables: Tables = { defs: {}, sections: {} };
  const section = (title: string, name: string): string[] => {
    const schema = readSchema(`api/${name}`);
    return [`## ${title}`, schema.description ?? '', table(schema, tables)];
  };
  return page(
    '# The API',
    made('rest'),
    'JSON over HTTP, on `http://127.0.0.1:8080` unless configured otherwise. Every request carries Basic credentials, `app_id:app_key`. Every response is one JSON document, errors included; it leaves before the first event that the request causes ([webhooks.md](webhooks.md)).',
    ROUTES,
    '`PUT` and `POST` are alike on `play` and `accept`; `/voice/v1/calls` is `/voice/v1/call`; trailing slashes do not matter.',
    EXAMPLE,
    ...section('Dial out', 'dial-out'),
    ...section('Play', 'play'),
    ...section('Event', 'event'),
    ...section('Answering an event', 'answer'),
    '## Errors',
    'The body has `result`, `msg`, `state: failed`, where there is one `hint`, and what is known of the call.',
    ERRORS,
  );
}
