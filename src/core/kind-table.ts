/** What is made of a value of a union, such as a journal entry, by its kind: a table instead of a switch. */
export type KindTable<Union extends { kind: string }, Args extends unknown[], Made> = {
  readonly [Kind in Union['kind']]?: (value: Extract<Union, { kind: Kind }>, ...args: Args) => Made;
};

/** Undefined where the table makes nothing of this kind. */
export const forKind = <Union extends { kind: string }, Args extends unknown[], Made>(
  table: KindTable<Union, Args, Made>,
  { kind }: Union,
) => table[kind as Union['kind']] as ((value: Union, ...args: Args) => Made) | undefined;
