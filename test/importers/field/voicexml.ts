/** VoiceXML in the shapes of the recommendation, with the elements and attributes that it lists. */
import { type Random, randomOf } from './generator.ts';

const yesNo = `<grammar mode="voice" version="1.0" root="answer" xml:lang="en-US" type="application/srgs+xml" tag-format="semantics/1.0">
  <rule id="answer" scope="public"><one-of><item>yes please<tag>out = "yes"</tag></item><item>no thanks<tag>out = "no"</tag></item></one-of></rule>
</grammar>`;

/** Items of a form, by a number that makes their names unique. */
const ITEMS: readonly ((n: number) => string)[] = [
  (n) =>
    `<block name="say${n}"><prompt bargein="false" xml:lang="en-US">Welcome to <emphasis level="strong">the library</emphasis>.<break time="300ms"/></prompt></block>`,
  (n) =>
    `<block><audio src="https://media.example.org/tune${n}.wav" fetchtimeout="5s" maxage="60">A tune.</audio></block>`,
  (n) =>
    `<field name="card${n}" type="digits?minlength=4;maxlength=8" modal="false"><prompt timeout="6s" bargein="true">What is the number of your card?</prompt><prompt count="2">The number has four to eight digits.</prompt><noinput>We heard nothing.<reprompt/></noinput><nomatch count="1">That is no number.</nomatch><filled><assign name="number" expr="card${n}"/></filled></field>`,
  (n) =>
    `<field name="sure${n}" type="boolean"><prompt>Are you sure?</prompt><filled><if cond="sure${n}"><prompt>Good.</prompt><else/><goto next="#end"/></if></filled></field>`,
  (n) =>
    `<field name="more${n}">${yesNo}<prompt>Do you want more?</prompt><help>Say yes please, or no thanks.</help></field>`,
  (n) =>
    `<field name="branch${n}"><prompt>Which branch? <enumerate/></prompt><option dtmf="1" value="north">north</option><option dtmf="2" value="south" accept="exact">south</option></field>`,
  (n) =>
    `<field name="city${n}"><prompt>Which city?</prompt><grammar src="https://grammars.example.org/cities.grxml" type="application/srgs+xml"/><grammar mode="dtmf" version="1.0" root="k"><rule id="k"><one-of><item>1</item><item>2</item></one-of></rule></grammar></field>`,
  (n) =>
    `<record name="message${n}" beep="true" maxtime="30s" finalsilence="3s" dtmfterm="false" type="audio/x-wav"><prompt>Leave a message.</prompt><noinput>We heard nothing.</noinput></record>`,
  (n) =>
    `<transfer name="call${n}" dest="tel:+442071838750" bridge="true" connecttimeout="20s" maxtime="600s" transferaudio="https://media.example.org/ring.wav"><prompt>Please hold.</prompt><filled><if cond="call${n} == 'busy'"><prompt>It is busy.</prompt></if></filled></transfer>`,
  (n) =>
    `<subdialog name="ask${n}" src="#confirm"><param name="what" expr="'the book'"/><filled><log expr="ask${n}.ok"/></filled></subdialog>`,
  (n) =>
    `<block><var name="tries${n}" expr="0"/><assign name="tries${n}" expr="tries${n} + 1"/><if cond="tries${n} &gt; 2"><disconnect/><elseif cond="tries${n} == 2"/><prompt>Once more.</prompt></if></block>`,
  (n) =>
    `<block><script>count${n} = 1; sum${n} = count${n} + 2</script><log label="sum">done <value expr="sum${n}"/></log></block>`,
  (n) => `<block><data name="list${n}" src="https://app.example.org/books" method="get" fetchtimeout="4s"/></block>`,
];

const MENU = `<menu id="main" dtmf="true" scope="dialog" accept="exact">
  <property name="timeout" value="4s"/><property name="inputmodes" value="dtmf"/>
  <prompt>Main menu. <enumerate>For <value expr="_prompt"/>, press <value expr="_dtmf"/>.</enumerate></prompt>
  <choice next="#f1">loans</choice>
  <choice next="#end" fetchhint="safe">hours</choice>
  <choice next="#end"><grammar src="https://grammars.example.org/staff.grxml"/>a person</choice>
  <noinput>Please choose.<reprompt/></noinput>
</menu>`;

const REST = `<form id="confirm"><var name="what"/><field name="ok" type="boolean"><prompt>Is it <value expr="what"/>?</prompt><filled><return namelist="ok"/></filled></field></form>
<form id="end"><block><prompt>Goodbye.</prompt><exit/></block></form>`;

const HEAD = `<?xml version="1.0" encoding="UTF-8"?>
<vxml xmlns="http://www.w3.org/2001/vxml" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.w3.org/2001/vxml vxml.xsd" version="2.1" xml:lang="en-US">
<meta name="author" content="somebody"/>
<property name="fetchtimeout" value="10s"/><property name="bargein" value="true"/><property name="confidencelevel" value="0.4"/><property name="interdigittimeout" value="2s"/>
<var name="number"/>
<link next="#end"><grammar mode="dtmf" version="1.0" root="r"><rule id="r">0</rule></grammar></link>
<catch event="error.badfetch" count="1"><prompt>Something went wrong.</prompt><exit/></catch>
<catch event="connection.disconnect.hangup"><exit/></catch>
<nomatch count="3"><prompt>We are sorry.</prompt><disconnect/></nomatch>
`;

const documentOf = (items: readonly string[]): string =>
  `${HEAD}${MENU}\n<form id="f1">\n${items.join('\n')}\n</form>\n${REST}\n</vxml>\n`;

function generated(seed: number): string {
  const random: Random = randomOf(seed);
  return documentOf(Array.from({ length: 5 }, (_each, index) => random.pick(ITEMS)(index + 1)));
}

export const documents: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'each item of a form': { 'start.vxml': documentOf(ITEMS.map((item, index) => item(index + 1))) },
  ...Object.fromEntries(
    Array.from({ length: 12 }, (_each, index) => [`generated ${index + 1}`, { 'start.vxml': generated(700 + index) }]),
  ),
};
