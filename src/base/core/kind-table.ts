/** Table of functions by the kind of a union value, such as a journal entry, instead of a switch. */
export type KindTable<Union extends { kind: string }, Args extends unknown[], Made> = {
  readonly [Kind in Union['kind']]?: (value: Extract<Union, { kind: Kind }>, ...args: Args) => Made;
};

/** The function for this kind. Undefined if the table has none. */
export const forKind = <Union extends { kind: string }, Args extends unknown[], Made>(
  table: KindTable<Union, Args, Made>,
  { kind }: Union,
) => table[kind as Union['kind']] as ((value: Union, ...args: Args) => Made) | undefined;
