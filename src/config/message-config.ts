/** Reads the section `messages`: providers that send the messages of flows, and the format of their requests. */
import type { MessageProvider } from '../base/core/http-exchange.ts';
import { defined, type JsonObject } from '../base/core/json.ts';
import { childPointer } from '../base/schema/document.ts';
import type { ConfigContext } from './config-context.ts';
import type { ConfigFile } from './config-file.ts';

export function readMessageProviders(written: ConfigFile['messages'], context: ConfigContext): MessageProvider[] {
  const names = written.map(({ name }) => name);
  context.refuseDuplicates('/messages/*/name', names, 'provider');
  return written.map((provider, index) => {
    const at = `/messages/${index}`;
    if (provider.form) refuseNestedFields(provider.body, `${at}/body`, context);
    return defined<MessageProvider>({ ...provider, headers: context.secrets(provider.headers, `${at}/headers`) });
  });
}

function refuseNestedFields(body: JsonObject, pointer: string, context: ConfigContext): void {
  for (const [name, value] of Object.entries(body)) {
    if (![value].flat().some((each) => typeof each === 'object' && each !== null)) continue;
    const hint = 'a field must be a text, a number, true or false, or a list of them';
    context.report('wrong-value', 'form fields cannot be nested', childPointer(pointer, name), hint);
  }
}
