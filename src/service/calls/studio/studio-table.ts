/**
 * Port: short texts about the people in the studio that all nodes hold in memory. Redis implements it with
 * `shared-table.ts`; a single node keeps them in memory.
 */
export interface StudioTable {
  get(field: string): string | undefined;
  entries(): [field: string, text: string][];
  /** When it resolves, the text is visible to `get`; so for `remove`. */
  put(field: string, text: string): Promise<unknown>;
  remove(field: string): Promise<unknown>;
  /** Calls the listener with the fields that have changed, here or on another node. */
  onChange(listener: (fields: readonly string[]) => void): void;
}

export function memoryStudioTable(): StudioTable {
  const texts = new Map<string, string>();
  const listeners: ((fields: readonly string[]) => void)[] = [];
  const changed = (field: string): void => {
    for (const listener of listeners) listener([field]);
  };
  return {
    get: (field) => texts.get(field),
    entries: () => [...texts],
    async put(field, text) {
      if (texts.get(field) === text) return;
      texts.set(field, text);
      changed(field);
    },
    async remove(field) {
      if (texts.delete(field)) changed(field);
    },
    onChange: (listener) => void listeners.push(listener),
  };
}
