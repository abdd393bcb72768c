/** Reads the section `assistants`: AI agents that talk with callers. */
import type { ConfiguredAgent } from '../base/core/assistant.ts';
import { defined } from '../base/core/json.ts';
import type { ConfigContext } from './config-context.ts';
import type { ConfigFile } from './config-file.ts';

export function readAssistants(written: ConfigFile['assistants'], context: ConfigContext): ConfiguredAgent[] {
  const names = written.map(({ name }) => name);
  context.refuseDuplicates('/assistants/*/name', names, 'agent');
  return written.map(({ secret, headers, ...agent }, index) => {
    const at = `/assistants/${index}`;
    const sent = context.secrets(headers, `${at}/headers`);
    if (secret !== undefined) sent['authorization'] = `Bearer ${context.secret(secret, `${at}/secret`)}`;
    return defined<ConfiguredAgent>({ ...agent, headers: sent });
  });
}
