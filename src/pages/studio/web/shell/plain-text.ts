/** Texts of schemas without their marks. Pure. */

export const plain = (text: string): string => text.replaceAll('`', '');

export const firstSentence = (text: string): string => plain(text).split(/(?<=\.) /)[0]!;
