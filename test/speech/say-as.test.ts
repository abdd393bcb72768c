import { describe, expect, it } from 'vitest';
import { plainText } from '../../src/language/spoken/plain-text.ts';
import { sayAs } from '../../src/language/spoken/say-as.ts';
import { cpuTimeMs } from '../cpu-time.ts';

type Row = [interpretAs: string, written: string, said: string];

const ENGLISH: Row[] = [
  ['characters', 'ABC-1', 'A, B, C, dash, one'],
  ['spell-out', 'a@b.c', 'A, at, B, dot, C'],
  ['cardinal', '0', 'zero'],
  ['cardinal', '1234567', 'one million two hundred thirty-four thousand five hundred sixty-seven'],
  ['cardinal', '1,234,567', 'one million two hundred thirty-four thousand five hundred sixty-seven'],
  ['cardinal', '-3', 'minus three'],
  ['number', '12.25', 'twelve point two five'],
  ['number', '0.05', 'zero point zero five'],
  ['number', '.5', 'zero point five'],
  ['ordinal', '1', 'first'],
  ['ordinal', '2nd', 'second'],
  ['ordinal', '3', 'third'],
  ['ordinal', '11', 'eleventh'],
  ['ordinal', '12', 'twelfth'],
  ['ordinal', '20', 'twentieth'],
  ['ordinal', '21', 'twenty-first'],
  ['ordinal', '100', 'one hundredth'],
  ['ordinal', '101', 'one hundred first'],
  ['number_digit', '4711', 'four seven one one'],
  ['digits', '12 34', 'one two, three four'],
  ['fraction', '1/2', 'one half'],
  ['fraction', '3/4', 'three quarters'],
  ['fraction', '2/3', 'two thirds'],
  ['fraction', '5/8', 'five eighths'],
  ['fraction', '1½', 'one and one half'],
  ['fraction', '3 1/3', 'three and one third'],
  ['fraction', '7/1000', 'seven over one thousand'],
  ['date:dmy', '24/12/2026', 'December twenty-fourth, twenty twenty-six'],
  ['date:mdy', '12/24/2026', 'December twenty-fourth, twenty twenty-six'],
  ['date:ymd', '2026-01-01', 'January first, twenty twenty-six'],
  ['date:ydm', '2026-24-12', 'December twenty-fourth, twenty twenty-six'],
  ['date:ym', '2026-12', 'December twenty twenty-six'],
  ['date:my', '12/1999', 'December nineteen ninety-nine'],
  ['date:md', '12/24', 'December twenty-fourth'],
  ['date:dm', '24.12', 'December twenty-fourth'],
  ['date:d', '3', 'third'],
  ['date:m', '3', 'March'],
  ['date:y', '1900', 'nineteen hundred'],
  ['date:y', '2000', 'two thousand'],
  ['date:y', '2005', 'two thousand five'],
  ['date:y', '1805', 'eighteen oh five'],
  ['date:dmy', '24122026', 'December twenty-fourth, twenty twenty-six'],
  ['date:dmy', '24 December 2026', 'December twenty-fourth, twenty twenty-six'],
  ['date', '12/24/2026', 'December twenty-fourth, twenty twenty-six'],
  ['date', '2026-12-24', 'December twenty-fourth, twenty twenty-six'],
  ['time:hms12', '3:05pm', 'three oh five PM'],
  ['time:hms12', '15:00', 'three PM'],
  ['time:hms12', '9:00', "nine o'clock"],
  ['time:hms12', '12:30 a.m.', 'twelve thirty AM'],
  ['time:hms24', '15:25:10', 'fifteen twenty-five and ten seconds'],
  ['time:hms24', '08:00', 'zero eight hundred hours'],
  ['time:hms24', '3:05 pm', 'fifteen oh five'],
  ['duration:hms', '01:18:30', 'one hour, eighteen minutes and thirty seconds'],
  ['duration:hm', '01:02', 'one hour and two minutes'],
  ['duration:ms', '10:01', 'ten minutes and one second'],
  ['duration', '1h18m', 'one hour and eighteen minutes'],
  ['duration:ms', '0:00', 'zero seconds'],
  ['telephone', '+49 30 1234567', 'plus four nine, three zero, one two three, four five six seven'],
  ['telephone:1', '(888) 555-1212', 'plus one, eight eight eight, five five five, one two one two'],
  ['currency', '$1,234.50', 'one thousand two hundred thirty-four dollars and fifty cents'],
  ['currency', '$1', 'one dollar'],
  ['currency', '$0.01', 'one cent'],
  ['currency', '£21', 'twenty-one pounds'],
  ['currency', 'EUR 12', 'twelve euros'],
  ['currency', '-5 USD', 'minus five dollars'],
  ['currency', '12.5', 'twelve point five'],
  ['currency', '5 SEK', 'five Swedish Krona'],
  ['address', '12 Main Street, 90210 Springfield', 'twelve Main Street, nine zero two one zero Springfield'],
  ['name', 'Dr. No', 'Dr. No'],
];

const BRITISH: Row[] = [
  ['cardinal', '101', 'one hundred and one'],
  ['ordinal', '101', 'one hundred and first'],
  ['ordinal', '21', 'twenty-first'],
  ['date:dmy', '24/12/2026', 'the twenty-fourth of December, twenty twenty-six'],
  ['date', '01/02/2026', 'the first of February, twenty twenty-six'],
  ['date:y', '2005', 'two thousand and five'],
  ['currency', '£1.50', 'one pound and fifty pence'],
  ['characters', '#', 'hash'],
];

const GERMAN: Row[] = [
  ['characters', 'ÄB-1', 'Ä, B, Strich, eins'],
  ['cardinal', '1.234', 'eintausendzweihundertvierunddreißig'],
  ['cardinal', '1', 'eins'],
  ['number', '3,14', 'drei Komma eins vier'],
  ['ordinal', '1', 'erste'],
  ['ordinal', '3.', 'dritte'],
  ['ordinal', '7', 'siebte'],
  ['ordinal', '8', 'achte'],
  ['ordinal', '16', 'sechzehnte'],
  ['ordinal', '20', 'zwanzigste'],
  ['ordinal', '21', 'einundzwanzigste'],
  ['ordinal', '100', 'einhundertste'],
  ['number_digit', '4711', 'vier sieben eins eins'],
  ['fraction', '3/4', 'drei Viertel'],
  ['fraction', '1/2', 'ein halb'],
  ['fraction', '5/8', 'fünf Achtel'],
  ['date:dmy', '24.12.2026', 'vierundzwanzigster Dezember zweitausendsechsundzwanzig'],
  ['date:y', '1999', 'neunzehnhundertneunundneunzig'],
  ['date:my', '03/2026', 'März zweitausendsechsundzwanzig'],
  ['date:dmy', '1. Mai 2026', 'erster Mai zweitausendsechsundzwanzig'],
  ['time:hms24', '01:00', 'ein Uhr'],
  ['time:hms24', '15:25:10', 'fünfzehn Uhr fünfundzwanzig und zehn Sekunden'],
  ['time:hms12', '3:05pm', 'drei Uhr fünf nachmittags'],
  ['duration:hms', '01:02:03', 'eine Stunde, zwei Minuten und drei Sekunden'],
  ['telephone', '030 1234', 'null drei null, eins zwei drei vier'],
  ['currency', '1.234,50 €', 'eintausendzweihundertvierunddreißig Euro und fünfzig Cent'],
  ['currency', '1 €', 'ein Euro'],
  ['currency', '101 €', 'einhundertein Euro'],
  ['currency', '1 INR', 'eine Rupie'],
];

const SPANISH: Row[] = [
  ['characters', 'Ñ1', 'Ñ, uno'],
  ['cardinal', '16', 'dieciséis'],
  ['cardinal', '21', 'veintiuno'],
  ['cardinal', '1.000.000', 'un millón'],
  ['number', '12,25', 'doce coma veinticinco'],
  ['number', '12,05', 'doce coma cero cinco'],
  ['ordinal', '1º', 'primero'],
  ['ordinal', '3', 'tercero'],
  ['ordinal', '7', 'séptimo'],
  ['ordinal', '11', 'undécimo'],
  ['ordinal', '16', 'decimosexto'],
  ['ordinal', '20', 'vigésimo'],
  ['ordinal', '21', 'vigésimo primero'],
  ['fraction', '1/2', 'un medio'],
  ['fraction', '2/3', 'dos tercios'],
  ['date:dmy', '01/05/2026', 'primero de mayo de dos mil veintiséis'],
  ['date:dmy', '24-12-1999', 'veinticuatro de diciembre de mil novecientos noventa y nueve'],
  ['date:dm', '2/1', 'dos de enero'],
  ['time:hms12', '3:05pm', 'tres y cinco de la tarde'],
  ['time:hms12', '1:00am', 'una de la mañana'],
  ['time:hms24', '15:25', 'quince horas y veinticinco minutos'],
  ['duration:hms', '01:18:30', 'una hora, dieciocho minutos y treinta segundos'],
  ['currency', '21 €', 'veintiún euros'],
  ['currency', '£21', 'veintiuna libras'],
  ['currency', '£101', 'ciento una libras'],
  ['currency', '1000000 EUR', 'un millón de euros'],
  ['currency', '12,50 €', 'doce euros y cincuenta céntimos'],
];

const FRENCH: Row[] = [
  ['characters', 'Éa', 'É, A'],
  ['cardinal', '71', 'soixante et onze'],
  ['cardinal', '80', 'quatre-vingts'],
  ['cardinal', '1 234', 'mille deux cent trente-quatre'],
  ['number', '3,14', 'trois virgule quatorze'],
  ['ordinal', '1er', 'premier'],
  ['ordinal', '2e', 'deuxième'],
  ['ordinal', '9', 'neuvième'],
  ['ordinal', '21', 'vingt et unième'],
  ['ordinal', '80', 'quatre-vingtième'],
  ['fraction', '1/2', 'un demi'],
  ['fraction', '3/4', 'trois quarts'],
  ['fraction', '2/5', 'deux cinquièmes'],
  ['date:dmy', '01/05/2026', 'premier mai deux mille vingt-six'],
  ['date:dmy', '24/12/1999', 'vingt-quatre décembre mille neuf cent quatre-vingt-dix-neuf'],
  ['time:hms24', '01:00', 'une heure'],
  ['time:hms24', '21:21', 'vingt et une heures vingt et une'],
  ['time:hms12', '3:05pm', "trois heures cinq de l'après-midi"],
  ['duration:hm', '01:21', 'une heure et vingt et une minutes'],
  ['currency', '1 €', 'un euro'],
  ['currency', '12,50 €', 'douze euros et cinquante centimes'],
  ['currency', '£1', 'une livre'],
];

const ITALIAN: Row[] = [
  ['cardinal', '21', 'ventuno'],
  ['cardinal', '1.234', 'milleduecentotrentaquattro'],
  ['cardinal', '1234567', 'un milione duecentotrentaquattromilacinquecentosessantasette'],
  ['ordinal', '1º', 'primo'],
  ['ordinal', '3', 'terzo'],
  ['ordinal', '7', 'settimo'],
  ['ordinal', '11', 'undicesimo'],
  ['ordinal', '20', 'ventesimo'],
  ['ordinal', '23', 'ventitreesimo'],
  ['fraction', '1/2', 'un mezzo'],
  ['fraction', '3/4', 'tre quarti'],
  ['fraction', '5/8', 'cinque ottavi'],
  ['date:dmy', '01/05/2026', 'primo maggio duemilaventisei'],
  ['date:dmy', '24/12/2026', 'ventiquattro dicembre duemilaventisei'],
  ['time:hms24', '15:25', 'ore quindici e venticinque'],
  ['time:hms12', '1:00pm', 'ore una del pomeriggio'],
  ['duration:hms', '01:02:01', "un'ora, due minuti e un secondo"],
  ['currency', '1 €', 'un euro'],
  ['currency', '12,50 €', 'dodici euro e cinquanta centesimi'],
];

describe.each([
  ['en-US', ENGLISH],
  ['en-GB', BRITISH],
  ['de-DE', GERMAN],
  ['es-ES', SPANISH],
  ['fr-FR', FRENCH],
  ['it-IT', ITALIAN],
])('say-as in %s', (language, rows) => {
  it.each(rows)('reads as %s: %s → %s', (reading, written, said) => {
    const [interpretAs = '', format] = reading.split(':');
    expect(sayAs(written, { interpretAs, format }, language)).toBe(said);
  });
});

describe('text that does not fit interpret-as', () => {
  it.each([
    ['date', '32/13/2026'],
    ['date', 'soon'],
    ['time', '25:99'],
    ['ordinal', '0'],
    ['cardinal', 'many'],
    ['cardinal', '1,2,3.4.5'],
    ['cardinal', '12345678901234567890'],
    ['currency', 'free'],
    ['fraction', '1/0'],
    ['duration', '1:2:3:4'],
    ['prime', '7'],
    ['constructor', '7'],
  ])('speaks %s %s as it is written', (interpretAs, written) => {
    expect(sayAs(written, { interpretAs, format: undefined }, 'en-US')).toBe(written);
  });

  it('leaves words to the engine in a language without rules, except for digits', () => {
    expect(sayAs('1234', { interpretAs: 'cardinal', format: undefined }, 'pt-BR')).toBe('1234');
    expect(sayAs('1234', { interpretAs: 'digits', format: undefined }, 'pt-BR')).toBe('1, 2, 3, 4');
  });

  it('stays fast for texts crafted to be slow', () => {
    for (const interpretAs of [
      'date',
      'time',
      'duration',
      'currency',
      'telephone',
      'address',
      'cardinal',
      'fraction',
    ]) {
      for (const piece of ['1', '1 ', '1.', '1,', '€', '1/', '1:']) {
        const startedMs = cpuTimeMs();
        sayAs(piece.repeat(5000), { interpretAs, format: undefined }, 'de-DE');
        plainText(piece.repeat(1500), 'de-DE');
        expect(cpuTimeMs() - startedMs, `${interpretAs} ${piece}`).toBeLessThan(1000);
      }
    }
  });
});

describe('symbols in a plain text', () => {
  it.each([
    ['de-DE', 'Das kostet 12,50 € & mehr.', 'Das kostet zwölf Euro und fünfzig Cent und mehr.'],
    ['de-DE', 'Noch 5 % auf 1.000 €!', 'Noch fünf Prozent auf eintausend Euro!'],
    ['fr-FR', 'Il reste 20% à 3 €.', 'Il reste vingt pour cent à trois euros.'],
    ['es-ES', 'Pulse * o #.', 'Pulse asterisco o almohadilla.'],
    ['it-IT', 'Scrivi a info@esempio.it', 'Scrivi a info chiocciola esempio.it'],
    ['en-GB', 'It is £2.50 for 3 items', 'It is two pounds and fifty pence for 3 items'],
    ['pt-BR', 'Custa 5 €', 'Custa 5 €'],
  ])('reads symbols in %s: %s', (language, written, said) => expect(plainText(written, language)).toBe(said));
});
