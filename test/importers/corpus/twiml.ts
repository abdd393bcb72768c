/** Each construct of TwiML once, and how many are imported how. */
import type { Counts } from './counts.ts';

export const text = `<?xml version="1.0" encoding="UTF-8"?>
<Response>
  <Say>Welcome to Example.</Say>
  <Pause length="1"/>
  <Play>https://a.example/intro.mp3</Play>
  <Play digits="1w2#"/>
  <Start><Stream url="wss://a.example/s" track="both_tracks"/></Start>
  <Stop><Stream name="x"/></Stop>
  <Start><Recording/></Start>
  <Start><Transcription languageCode="en-US"/></Start>
  <Gather numDigits="1" action="corpus" timeout="4"><Say>Press 1 for sales.</Say></Gather>
  <Record maxLength="30" finishOnKey="#" timeout="3" action="corpus"/>
  <Dial timeout="10"><Number>+15557654321</Number></Dial>
  <Dial><Sip>sip:joe@example.com</Sip></Dial>
  <Dial><Client>jane</Client></Dial>
  <Dial><Conference muted="true">Room 1</Conference></Dial>
  <Refer><Sip>sip:bob@example.com</Sip></Refer>
  <Enqueue>support</Enqueue>
  <Connect><Stream url="wss://a.example/agent"/></Connect>
  <Sms to="+15551234567">Your code is 5</Sms>
  <Pay/>
  <Siprec name="x"/>
  <Dial><Queue>support</Queue></Dial>
  <Dial><Number sendDigits="123">+15551234567</Number></Dial>
  <Gather action="https://b.example/elsewhere"><Say>Press 2 for help.</Say></Gather>
  <Redirect>corpus</Redirect>
  <Reject/>
  <Hangup/>
</Response>`;

export const counts: Counts = { exact: 38, workaround: 0, todo: 2 };
