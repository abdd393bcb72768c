/** VoiceXML as people write it: small applications, some of several documents, with a root document or dialogs that are called. */
import type { Counts } from '../corpus/counts.ts';
import type { RealisticFlows } from './realistic-flows.ts';

export const counts: Counts = { exact: 129, workaround: 3, todo: 1 };

const vxml = (content: string): string =>
  `<?xml version="1.0"?>\n<vxml version="2.1" xmlns="http://www.w3.org/2001/vxml">\n${content}\n</vxml>`;

export const flows: RealisticFlows['flows'] = {
  // A menu with opening hours and an operator.
  front: {
    'front.vxml': vxml(`<menu id="front">
    <prompt>For sales press 1. For our opening hours press 2. For an operator press 0.</prompt>
    <choice dtmf="1" next="#sales">sales</choice>
    <choice dtmf="2" next="#hours">opening hours</choice>
    <choice dtmf="0" next="#operator">operator</choice>
    <noinput>I did not hear you. <reprompt/></noinput>
    <nomatch count="3">Let me connect you. <goto next="#operator"/></nomatch>
  </menu>
  <form id="sales"><transfer name="sale" dest="tel:+15551230001" bridge="true"/></form>
  <form id="hours"><block>We are open from nine to five. <goto next="#front"/></block></form>
  <form id="operator"><transfer name="desk" dest="tel:+15551230000" bridge="true"/></form>`),
  },

  // A balance behind an account and a PIN.
  balance: {
    'balance.vxml': vxml(`<var name="attempts" expr="0"/>
  <form id="login">
    <field name="account" type="digits?length=8"><prompt>Please enter your account number.</prompt></field>
    <field name="pin" type="digits?length=4">
      <prompt>And your code.</prompt>
      <filled>
        <assign name="attempts" expr="attempts + 1"/>
        <if cond="pin == '1234'"><goto next="#told"/>
        <elseif cond="attempts &gt;= 3"/>Goodbye. <disconnect/>
        <else/>That is not right. <clear namelist="pin"/></if>
      </filled>
    </field>
  </form>
  <form id="told"><block>The balance of <say-as interpret-as="digits"><value expr="account"/></say-as> is 12 euros. <exit/></block></form>`),
  },

  // A reminder of an appointment.
  reminder: {
    'reminder.vxml': vxml(`<form>
    <block>This is a reminder of your appointment tomorrow.</block>
    <field name="comes" type="boolean">
      <prompt>Will you come? Press 1 for yes, or 2 for no.</prompt>
      <prompt count="2">Press 1 if you come, and 2 if you do not.</prompt>
      <noinput count="2">We will call again. <exit/></noinput>
    </field>
    <filled namelist="comes"><if cond="comes">See you tomorrow.<else/>Please call us for another day.</if></filled>
    <block><log expr="comes"/><disconnect/></block>
  </form>`),
  },

  // A survey with a dialog that is called for each question.
  survey: {
    'survey.vxml': vxml(`<form id="start">
    <block>Thank you for taking part.</block>
    <subdialog name="first" src="rate.vxml#rate"><param name="question" expr="'How was your stay?'"/></subdialog>
    <subdialog name="second" src="rate.vxml#rate"><param name="question" value="How was the food?"/></subdialog>
    <block cond="Number(first.stars) + Number(second.stars) &lt; 6"><prompt>We are sorry to hear that.</prompt></block>
    <block>Your points: <value expr="first.stars"/> and <value expr="second.stars"/>. Goodbye.</block>
  </form>`),
    'rate.vxml': vxml(`<form id="rate">
    <var name="question"/>
    <field name="stars" type="digits?length=1">
      <prompt><value expr="question"/> Press a key from 1 to 5.</prompt>
      <filled><if cond="stars &gt; 5">At most five. <clear namelist="stars"/></if></filled>
    </field>
    <block><return namelist="stars"/></block>
  </form>`),
  },

  // An order by voice, with a grammar of its own.
  pizza: {
    'pizza.vxml': vxml(`<form id="order">
    <field name="size">
      <prompt>Which size would you like: small, medium or large?</prompt>
      <grammar version="1.0" mode="voice" root="size"><rule id="size" scope="public">
        <item repeat="0-1">a</item>
        <one-of><item>small<tag>out = "S"</tag></item><item>medium<tag>out = "M"</tag></item><item>large<tag>out = "L"</tag></item></one-of>
      </rule></grammar>
      <grammar version="1.0" mode="dtmf" root="key"><rule id="key"><one-of><item>1<tag>out = "S"</tag></item><item>2<tag>out = "M"</tag></item><item>3<tag>out = "L"</tag></item></one-of></rule></grammar>
    </field>
    <field name="kind">
      <prompt>And which pizza? <enumerate/></prompt>
      <option>margherita</option>
      <option>funghi</option>
      <option>vegetarian</option>
      <catch event="noinput nomatch"><prompt>Please say the name of a pizza.</prompt><reprompt/></catch>
    </field>
    <field name="right" type="boolean">
      <prompt>One <value expr="kind"/>, size <value expr="size"/>. Is that right?</prompt>
      <filled><if cond="!right"><clear/></if></filled>
    </field>
    <block><submit next="https://pizza.example/order" namelist="size kind"/></block>
  </form>`),
  },

  // Voicemail after an unanswered call.
  voicemail: {
    'voicemail.vxml': vxml(`<catch event="connection.disconnect.hangup"><log>the caller hung up</log></catch>
  <form id="call">
    <transfer name="reached" dest="sip:office@example.com" bridge="true" connecttimeout="20s">
      <filled>
        <if cond="reached == 'far_end_disconnect'"><exit/></if>
        <goto next="#leave"/>
      </filled>
    </transfer>
  </form>
  <form id="leave">
    <record name="message" beep="true" maxtime="120s" finalsilence="4s">
      <prompt>Nobody can take your call. Please leave a message after the tone.</prompt>
      <noinput><prompt>I heard nothing.</prompt><exit/></noinput>
    </record>
    <block>Thank you. <disconnect/></block>
  </form>`),
  },

  // A delivery that is looked up, with links and a root document.
  track: {
    'track.vxml': vxml(`<form id="ask">
    <field name="parcel">
      <prompt>Please enter the six digits of your parcel.</prompt>
      <grammar mode="dtmf" root="six"><rule id="six"><item repeat="6"><one-of><item>0</item><item>1</item><item>2</item><item>3</item><item>4</item><item>5</item><item>6</item><item>7</item><item>8</item><item>9</item></one-of></item></rule></grammar>
    </field>
    <block>
      <data name="state" src="https://parcels.example/state" namelist="parcel"/>
      <if cond="state.delivered == true">Your parcel was delivered.<else/>Your parcel is in <value expr="state.city"/>.</if>
      <prompt><audio src="https://parcels.example/bye.wav">Goodbye.</audio></prompt>
    </block>
  </form>`).replace('<vxml ', '<vxml application="root.vxml" '),
    'root.vxml': vxml(`<property name="timeout" value="8s"/>
  <link next="#desk" dtmf="0"/>
  <form id="desk"><transfer name="desk" dest="tel:+15551230000" bridge="true"/></form>
  <catch event="error.badfetch">We cannot look it up now. <exit/></catch>`),
  },
};
