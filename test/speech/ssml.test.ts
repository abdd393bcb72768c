import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeSsml, MAX_SSML_LENGTH, readSsml, ssmlProblems } from '../../src/language/ssml/read-ssml.ts';
import { offsetMs, pitchOf, rateOf, volumeOf } from '../../src/language/ssml/ssml-values.ts';
import { compileSsml, type Segment } from '../../src/media/speech/compile-ssml.ts';

const START = { language: 'en-US', voice: 'female' } as const;
const compiled = (inside: string): Segment[] => {
  const { segments, problems } = compileSsml(`<speak>${inside}</speak>`, START);
  expect(problems).toBeUndefined();
  return segments!;
};
/** Texts as strings, pauses as numbers. */
const plan = (inside: string) => compiled(inside).map((part) => (part.type === 'pause' ? part.durationMs : part.text));
const manner = (inside: string) => {
  const [first] = compiled(inside);
  if (first?.type !== 'speech') throw new Error('no speech');
  return first;
};

describe('plan of an SSML document', () => {
  it.each<[string, (string | number)[]]>([
    ['Hello world', ['Hello world']],
    ['  Hello \n\t world ', ['Hello world']],
    ['a<break/>b', ['a', 500, 'b']],
    ['a<break time="1.5s"/>b', ['a', 1500, 'b']],
    ['a<break strength="x-strong"/><break time="200ms"/>b', ['a', 1200, 'b']],
    ['a<break strength="none"/>b', ['a', 'b']],
    ['<p>One. Two.</p><p>Three.</p>', ['One. Two.', 600, 'Three.']],
    ['<p><s>One</s><s>Two</s></p>\n<p><s>Three</s></p>', ['One', 250, 'Two', 600, 'Three']],
    ['<s>One</s><break time="100ms"/><s>Two</s>', ['One', 100, 'Two']],
    ['<p/><p>One</p><p/>', ['One']],
    ['The <sub alias="World Wide Web Consortium">W3C</sub> says', ['The World Wide Web Consortium says']],
    ['You have <say-as interpret-as="cardinal">21</say-as> new messages.', ['You have twenty-one new messages.']],
    ['<say-as interpret-as="date" format="dmy">24/12/2026</say-as>', ['December twenty-fourth, twenty twenty-six']],
    ['a <mark name="here"/>b', ['a b']],
    ['<phoneme alphabet="ipa" ph="x">tomato</phoneme>', ['tomato']],
    ['a<desc>not said</desc><metadata>nor this</metadata>', ['a']],
    ['a &amp; b &lt;c&gt; &#65;<![CDATA[<d>]]>', ['a & b <c> A<d>']],
    ['<!-- not said -->a', ['a']],
    ['<mstts:silence type="Leading" value="300ms"/>a', [300, 'a']],
    ['<mstts:silence type="Tailing-exact" value="300ms"/>a', ['a', 300]],
    ['<mstts:silence type="Sentenceboundary" value="400ms"/>One. Two.', ['One.', 400, 'Two.']],
    ['', []],
    ['<break time="0ms"/>', []],
  ])('contains the parts of "%s"', (inside, expected) => expect(plan(inside)).toEqual(expected));

  it('joins texts with the same prosody and no others', () => {
    expect(plan('one <prosody rate="medium">two</prosody> three')).toEqual(['one two three']);
    expect(plan('one <prosody rate="fast">two</prosody> three')).toEqual(['one', 'two', 'three']);
  });

  it('supports prosody, emphasis and styles, one inside another', () => {
    expect(manner('<prosody rate="slow" pitch="+10%" volume="-50%">a</prosody>')).toMatchObject({
      rate: 0.75,
      pitch: 1.1,
      gain: 0.5,
    });
    expect(manner('<prosody rate="50%"><prosody rate="fast" volume="+6dB">a</prosody></prosody>')).toMatchObject({
      rate: 0.65,
      gain: expect.closeTo(2, 1),
    });
    expect(manner('<prosody rate="10%"><prosody rate="x-slow">a</prosody></prosody>').rate).toBe(0.5);
    expect(manner('<prosody volume="silent">a</prosody>').gain).toBe(0);
    expect(manner('<emphasis level="strong">a</emphasis>')).toMatchObject({ rate: 0.85, gain: 1.4 });
    expect(manner('<emphasis>a</emphasis>').rate).toBe(0.92);
    expect(manner('<mstts:express-as style="Cheerful">a</mstts:express-as>').style).toBe('cheerful');
  });

  it('changes the voice and the language', () => {
    expect(manner('<voice gender="male">a</voice>').voice).toBe('male');
    expect(manner('<voice name="male">a</voice>').voice).toBe('male');
    expect(manner('<voice name="en-US-JennyNeural">a</voice>').voice).toBe('female');
    expect(manner('<lang xml:lang="de_DE">a</lang>').language).toBe('de-DE');
    expect(compileSsml('<speak xml:lang="fr-FR">a</speak>', START).segments).toMatchObject([{ language: 'fr-FR' }]);
    expect(plan('<lang xml:lang="de-DE"><say-as interpret-as="ordinal">3</say-as></lang>')).toEqual(['dritte']);
  });
});

describe('values of SSML attributes', () => {
  it.each<[unknown, unknown]>([
    [offsetMs('500ms'), 500],
    [offsetMs('+.5s'), 500],
    [offsetMs('1 s'), 1000],
    [offsetMs('1h'), undefined],
    [offsetMs('500'), undefined],
    [offsetMs('9999s'), 10_000],
    [rateOf('x-fast'), 1.7],
    [rateOf('120%'), 1.2],
    [rateOf('-20%'), 0.8],
    [rateOf('1.5'), 1.5],
    [rateOf('0%'), undefined],
    [rateOf('constructor'), undefined],
    [pitchOf('high', 'female'), 1.13],
    [pitchOf('+12st', 'female'), 2],
    [pitchOf('180Hz', 'female'), 1],
    [pitchOf('+18Hz', 'female'), 1.1],
    [pitchOf('210Hz', 'male'), 2],
    [pitchOf('-500Hz', 'male'), undefined],
    [volumeOf('x-loud'), 2],
    [volumeOf('80'), 0.8],
    [volumeOf('101'), undefined],
    [volumeOf('-100%'), 0],
    [volumeOf('+900%'), 4],
    [volumeOf('0dB'), 1],
  ])('are read from %j as %j', (value, expected) => {
    if (typeof expected === 'number') expect(value).toBeCloseTo(expected, 6);
    else expect(value).toBe(expected);
  });
});

describe('invalid documents', () => {
  it.each<[string, string, number, number]>([
    ['hello', 'text data outside of root node.', 1, 6],
    ['', 'document must contain a root element.', 1, 1],
    ['<p>a</p>', 'the outermost element is <speak>, not <p>', 1, 1],
    ['<speak>a<speak>b</speak></speak>', '<speak> stands outermost only', 1, 9],
    ['<speak>\n  <b>a</b></speak>', 'there is no element <b>', 2, 3],
    ['<speak><audio src="x.wav"/></speak>', '<audio> is refused: audio files are not part of a text here', 1, 8],
    ['<speak><lexicon uri="x"/></speak>', '<lexicon> is refused', 1, 8],
    ['<speak><break time="5"/></speak>', '<break>: time="5" is not a pause', 1, 8],
    ['<speak><break strength="big"/></speak>', '<break>: strength="big" is not a pause', 1, 8],
    ['<speak><prosody rate="quickly">a</prosody></speak>', '<prosody>: rate="quickly" is not a rate', 1, 8],
    ['<speak><say-as>a</say-as></speak>', '<say-as>: interpret-as is missing', 1, 8],
    ['<speak><lang xml:lang="?">a</lang></speak>', '<lang>: xml:lang="?" is not a language', 1, 8],
    ['<speak>&foo;</speak>', 'undefined entity.', 1, 13],
    ['<!DOCTYPE speak [<!ENTITY a "b">]><speak>a</speak>', 'a document type is not taken', 1, 1],
    ['<speak>a</p></speak>', 'unexpected close tag.', 1, 13],
  ])('reports the problem in %s', (source, message, line, column) => {
    const problems = ssmlProblems(source);
    expect(problems[0]).toMatchObject({ line, column });
    expect(problems[0]?.message).toContain(message);
    expect(compileSsml(source, START).problems).toEqual(problems);
  });

  it('are all reported at once', () => {
    expect(ssmlProblems('<speak><b/><break time="x"/><audio/></speak>')).toHaveLength(3);
  });

  it('includes limits of size, depth, number and silence', () => {
    const deep = `<speak>${'<p>'.repeat(30)}a${'</p>'.repeat(30)}</speak>`;
    expect(ssmlProblems(deep)[0]?.message).toMatch(/more than 20/);
    expect(ssmlProblems(`<speak>${'<p/>'.repeat(501)}</speak>`)[0]?.message).toMatch(/500 elements/);
    expect(ssmlProblems(`<speak>${'a'.repeat(MAX_SSML_LENGTH)}</speak>`)[0]?.message).toMatch(/more than 20000/);
    expect(ssmlProblems(`<speak>${'<break time="10s"/>'.repeat(13)}</speak>`)[0]?.message).toMatch(/120 s/);
    const laughs = `<!DOCTYPE s [<!ENTITY a "${'ha'.repeat(100)}"><!ENTITY b "&a;&a;">]><speak>&b;</speak>`;
    expect(readSsml(laughs).root).toBeUndefined();
  });

  it('are never thrown, and escaped texts are always valid', () => {
    const pieces = [
      '<speak>',
      '</speak>',
      '<p>',
      '</p>',
      '<break/>',
      '<',
      '>',
      '"',
      '&',
      '&amp;',
      '&#0;',
      'a',
      ' ',
      '\u0000',
      '<!--',
      ']]>',
    ];
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string()), { maxLength: 12 }), (parts) => {
        const { segments, problems } = compileSsml(parts.join(''), START);
        expect((segments === undefined) !== (problems === undefined)).toBe(true);
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
        expect(
          ssmlProblems(`<speak><sub alias="${escapeSsml(text) || 'x'}">${escapeSsml(text)}</sub></speak>`),
        ).toEqual([]);
      }),
    );
  });
});
