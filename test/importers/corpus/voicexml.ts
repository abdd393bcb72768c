/** Each construct of VoiceXML once, and how many are imported how. */
import type { Counts } from './counts.ts';

export const text = `<?xml version="1.0" encoding="UTF-8"?>
<vxml version="2.1" xmlns="http://www.w3.org/2001/vxml" application="root.vxml">
  <property name="timeout" value="6s"/>
  <property name="interdigittimeout" value="2s"/>
  <property name="confidencelevel" value="0.4"/>
  <var name="tries" expr="0"/>
  <script>var greeting = 'Hello'; greeting = greeting + ' there';</script>
  <link next="#agent" dtmf="0"/>
  <catch event="connection.disconnect.hangup"><log>gone</log><exit/></catch>
  <error>Something is wrong. <exit/></error>
  <form id="welcome">
    <var name="round" expr="1"/>
    <block>
      <prompt bargein="false"><audio src="https://a.example/intro.wav">Welcome to Example.</audio></prompt>
      <prompt>You call from <value expr="session.connection.remote.uri"/>.<break time="500ms"/><emphasis>Listen</emphasis> closely.<mark name="here"/></prompt>
      <assign name="tries" expr="tries + 1"/>
    </block>
    <field name="account" type="digits?length=8">
      <prompt>Please enter your account.</prompt>
      <prompt count="2">Eight digits, please.</prompt>
      <noinput>I heard nothing. <reprompt/></noinput>
      <noinput count="3">Goodbye. <disconnect/></noinput>
      <nomatch>That is wrong.</nomatch>
      <help>It is on your card.</help>
      <filled><throw event="com.example.counted"/></filled>
      <catch event="com.example.counted">Thank you.</catch>
    </field>
    <field name="right" type="boolean">
      <prompt timeout="4s">Is <say-as interpret-as="digits"><value expr="account"/></say-as> right?</prompt>
      <filled>
        <if cond="!right"><clear namelist="account right"/><elseif cond="tries &gt; 2"/><goto next="#agent"/><else/>Thank you.</if>
      </filled>
    </field>
    <field name="amount" type="currency"><prompt>How much?</prompt></field>
    <field name="size">
      <prompt>Which size? <enumerate/></prompt>
      <option dtmf="1" value="s">small</option>
      <option dtmf="2" value="l">large</option>
    </field>
    <field name="city">
      <prompt>Which city?</prompt>
      <grammar version="1.0" root="cities" mode="voice">
        <rule id="cities"><one-of><item>Paris <tag>out = 'par'</tag></item><item>London <tag>out = 'lon'</tag></item></one-of></rule>
      </grammar>
    </field>
    <field name="zip">
      <prompt>Your postcode?</prompt>
      <grammar mode="dtmf" root="zip"><rule id="zip"><item repeat="5"><ruleref uri="#digit"/></item></rule>
        <rule id="digit"><one-of><item>0</item><item>1</item><item>2</item><item>3</item><item>4</item><item>5</item><item>6</item><item>7</item><item>8</item><item>9</item></one-of></rule></grammar>
    </field>
    <field name="colour"><prompt>Which colour?</prompt><grammar mode="voice">#ABNF 1.0; root $c; $c = red | dark blue {blue};</grammar></field>
    <field name="pin"><prompt>Your code?</prompt><grammar src="builtin:dtmf/digits?length=4"/></field>
    <field name="date"><prompt>Which day?</prompt><grammar src="days.grxml"/></field>
    <field name="name"><prompt>Your name?</prompt><grammar src="https://a.example/names.grxml"/></field>
    <filled mode="all" namelist="amount size"><log label="order" expr="size"/></filled>
    <block cond="tries == 1"><goto next="#main"/></block>
  </form>
  <menu id="main" dtmf="true">
    <prompt>For sales press 1.</prompt>
    <choice next="#record">sales</choice>
    <choice next="other.vxml">orders</choice>
    <choice event="help">help</choice>
    <noinput count="2"><goto next="#agent"/></noinput>
    <help>Press a key. <reprompt/></help>
  </menu>
  <form id="record">
    <record name="message" beep="true" maxtime="30s" finalsilence="3s" dtmfterm="false"><prompt>Speak now.</prompt></record>
    <subdialog name="rated" src="#rate"><param name="question" expr="'How was it?'"/></subdialog>
    <block>
      <data name="order" src="https://a.example/order" namelist="account"/>
      <foreach item="line" array="order.lines"><value expr="line.name"/></foreach>
      <foreach item="line" array="order.lines"><assign name="tries" expr="tries + line.count"/></foreach>
      <submit next="https://a.example/next" namelist="account"/>
    </block>
  </form>
  <form id="rate">
    <var name="question"/>
    <field name="stars" type="digits?length=1"><prompt><value expr="question"/></prompt></field>
    <block><return namelist="stars"/></block>
  </form>
  <form id="agent">
    <transfer name="asked" dest="tel:+15551234567" type="bridge" connecttimeout="20s"><filled><if cond="asked == 'busy'">They are busy.</if></filled></transfer>
    <transfer name="moved" dest="sip:joe@example.com" type="blind"/>
    <transfer name="consulted" dest="tel:+15557654321" type="consultation"/>
    <initial name="all"><prompt>What can we do for you?</prompt></initial>
    <object name="pay" classid="builtin://pay"/>
    <block><exit/></block>
  </form>
</vxml>`;

export const beside = {
  'root.vxml': `<vxml version="2.1"><var name="project" expr="'example'"/><link next="corpus.vxml#agent"><grammar mode="voice">agent | operator</grammar></link></vxml>`,
  'other.vxml': `<vxml version="2.1"><form><block>Nothing here. <goto next="corpus.vxml#main"/></block></form></vxml>`,
  'days.grxml': `<grammar mode="voice" root="day"><rule id="day"><one-of><item>today</item><item>tomorrow</item></one-of></rule></grammar>`,
};

export const counts: Counts = { exact: 102, workaround: 3, todo: 6 };
