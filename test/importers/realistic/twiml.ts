/**
 * Realistic TwiML: small static documents, and answers of applications saved as files, including those that depend on
 * keys.
 */
import type { Counts } from '../corpus/counts.ts';
import type { RealisticFlows } from './realistic-flows.ts';

export const counts: Counts = { exact: 119, workaround: 1, todo: 1 };

const document = (verbs: string): string => `<?xml version="1.0" encoding="UTF-8"?>\n<Response>${verbs}</Response>\n`;

export const flows: RealisticFlows['flows'] = {
  // Forward to a mobile phone, else take a message.
  'forward-or-voicemail': {
    'incoming.xml': document(`
  <Say voice="alice">Thank you for calling Example Plumbing. Please hold while we connect you.</Say>
  <Dial timeout="20" action="voicemail"><Number>+15558675310</Number></Dial>`),
    'voicemail?DialCallStatus=completed.xml': document('<Hangup/>'),
    'voicemail.xml': document(`
  <Say voice="alice">Nobody can take your call right now. Please leave a message after the beep.</Say>
  <Record maxLength="120" timeout="5" transcribe="true" action="thanks"/>
  <Say voice="alice">We did not receive a recording. Goodbye.</Say>`),
    'thanks.xml': document(`
  <Say voice="alice">Thank you for your message. Goodbye.</Say>
  <Hangup/>`),
  },

  // A phone tree, as the tutorials have it.
  'phone-tree': {
    'welcome.xml': document(`
  <Gather action="/ivr/menu" numDigits="1" method="POST" timeout="10">
    <Say loop="2">Thank you for calling the Example Phone Home Service. Press 1 for directions. Press 2 to call an agent.</Say>
  </Gather>
  <Say>Sorry, we did not get your answer.</Say>
  <Redirect>/ivr/welcome</Redirect>`),
    'menu?Digits=1.xml': document(`
  <Say voice="Polly.Amy" language="en-GB">To get to the office, take the second street on the left after the station.</Say>
  <Say>Thank you for calling.</Say>
  <Hangup/>`),
    'menu?Digits=2.xml': document(`
  <Gather action="/ivr/agents" numDigits="1">
    <Say voice="Polly.Amy" language="en-GB">To call the office in Leeds, press 2. For York, press 3. For Hull, press 4. To go back, press the star key.</Say>
  </Gather>
  <Redirect>/ivr/welcome</Redirect>`),
    'menu.xml': document('<Say>Returning to the main menu.</Say><Redirect>/ivr/welcome</Redirect>'),
    'agents?Digits=2.xml': document('<Dial callerId="+15550001000"><Number>+15551230002</Number></Dial>'),
    'agents?Digits=3.xml': document('<Dial callerId="+15550001000"><Number>+15551230003</Number></Dial>'),
    'agents?Digits=4.xml': document('<Dial callerId="+15550001000"><Number>+15551230004</Number></Dial>'),
    'agents.xml': document('<Redirect>/ivr/welcome</Redirect>'),
  },

  // Several phones ring at once; whoever answers hears who calls and has to accept.
  'find-me': {
    'find-me.xml': document(`
  <Say>Please wait while we look for somebody.</Say>
  <Dial timeout="25" action="/done">
    <Number url="/screen">+15551112222</Number>
    <Number url="/screen">+15551113333</Number>
    <Client url="/screen">jenny</Client>
  </Dial>`),
    'screen.xml': document(`
  <Gather action="/connect" numDigits="1" timeout="6">
    <Say>You have a call for support. Press 1 to accept it.</Say>
  </Gather>
  <Say>Sorry, we did not get your answer.</Say>
  <Hangup/>`),
    'connect?Digits=1.xml': document(''),
    'connect.xml': document('<Hangup/>'),
    'done?DialCallStatus=completed.xml': document('<Say>Thank you for calling. Goodbye.</Say>'),
    'done.xml': document(`
  <Say>Nobody is there just now. We have sent your number to them.</Say>
  <Sms to="+15551112222" from="+15550001000">You missed a call for support.</Sms>`),
  },

  // The queue of a small call centre: what callers meet, and the line that agents call.
  'call-centre': {
    'enter.xml': document(`
  <Play>https://media.example/greeting.mp3</Play>
  <Say voice="Polly.Joanna">All of our agents are busy. You will be connected soon.</Say>
  <Enqueue waitUrl="/wait" action="/left">support</Enqueue>`),
    'wait.xml': document(`
  <Say voice="Polly.Joanna">Thank you for waiting.</Say>
  <Play>https://media.example/hold-music.mp3</Play>
  <Redirect/>`),
    'left.xml': document(`
  <Say voice="Polly.Joanna">How satisfied are you with this call? Please answer with a number from 1 to 5.</Say>
  <Gather numDigits="1" timeout="8" action="/rated"/>
  <Say voice="Polly.Joanna">Goodbye.</Say>`),
    'rated.xml': document('<Say voice="Polly.Joanna">Thank you for your answer.</Say><Hangup/>'),
  },
  'agent-line': {
    'agent.xml': document(`
  <Say>You are about to take a call of the queue.</Say>
  <Dial timeout="120" hangupOnStar="true" action="/agent-next"><Queue>support</Queue></Dial>`),
    'agent-next.xml': document(`
  <Say>The call is over. Press any key for the next caller.</Say>
  <Gather numDigits="1" timeout="30" action="/agent"/>
  <Say>Goodbye.</Say>
  <Hangup/>`),
  },

  // A weekly meeting with a PIN for its host.
  meeting: {
    'join.xml': document(`
  <Gather numDigits="6" finishOnKey="" action="/pin">
    <Say language="en-GB">Welcome to the meeting. Hosts enter their pin. All others please wait.</Say>
  </Gather>
  <Dial hangupOnStar="true">
    <Conference startConferenceOnEnter="false" waitUrl="https://media.example/waiting.mp3" beep="false">Weekly</Conference>
  </Dial>
  <Say language="en-GB">The meeting is over.</Say>`),
    'pin?Digits=271828.xml': document(`
  <Dial><Conference startConferenceOnEnter="true" endConferenceOnExit="true" record="record-from-start">Weekly</Conference></Dial>`),
    'pin.xml': document(
      '<Say language="en-GB">That is not the pin.</Say><Pause length="1"/><Redirect>/join</Redirect>',
    ),
  },

  // A reminder that calls out.
  reminder: {
    'reminder.xml': document(`
  <Pause length="1"/>
  <Say voice="Polly.Joanna-Neural"><prosody rate="95%">Hello. This is Example Dental.</prosody> <break time="300ms"/> You have an appointment tomorrow at ten.</Say>
  <Gather input="dtmf speech" numDigits="1" speechTimeout="auto" hints="confirm, cancel" action="/answer" timeout="6">
    <Say voice="Polly.Joanna-Neural">Press 1 or say confirm. Press 2 or say cancel. Press 3 to talk with us.</Say>
  </Gather>
  <Say voice="Polly.Joanna-Neural">We did not hear from you. We will call again. Goodbye.</Say>`),
    'answer?Digits=1.xml': document('<Say voice="Polly.Joanna-Neural">Thank you. See you tomorrow.</Say><Hangup/>'),
    'answer?SpeechResult=confirm.xml': document(
      '<Say voice="Polly.Joanna-Neural">Thank you. See you then.</Say><Hangup/>',
    ),
    'answer?Digits=2.xml': document(`
  <Say voice="Polly.Joanna-Neural">Your appointment is cancelled.</Say>
  <Message to="+15550009999"><Body>A patient has cancelled by telephone.</Body></Message>
  <Hangup/>`),
    'answer?SpeechResult=cancel.xml': document(
      '<Say voice="Polly.Joanna-Neural">Your appointment is cancelled.</Say><Hangup/>',
    ),
    'answer?Digits=3.xml': document(
      '<Dial timeout="15" record="record-from-answer-dual">+15550001212</Dial><Say>Nobody is there.</Say>',
    ),
    'answer.xml': document(
      '<Say voice="Polly.Joanna-Neural">We did not understand you.</Say><Redirect>/reminder</Redirect>',
    ),
  },

  // A survey with recorded answers.
  survey: {
    'survey.xml': document(`
  <Say>Hello. Thank you for taking part in our survey.</Say>
  <Redirect>/q1</Redirect>`),
    'q1.xml': document(`
  <Gather numDigits="1" action="/q2"><Say>On a scale of 1 to 9, how likely are you to recommend us?</Say></Gather>
  <Redirect>/q1</Redirect>`),
    'q2.xml': document(`
  <Say>What did you like? Please say it after the beep, and press any key when you are done.</Say>
  <Record action="/q3" maxLength="30"/>`),
    'q3.xml': document(`
  <Say>Have you called us before? Say yes or no.</Say>
  <Gather input="speech" language="en-US" hints="yes, no" speechTimeout="2" action="/done"/>
  <Redirect>/done</Redirect>`),
    'done.xml': document('<Say>That is all. Thank you, and goodbye.</Say><Hangup/>'),
  },

  // A card payment, and an application that decides beyond what the files say.
  orders: {
    'orders.xml': document(`
  <Start><Recording/></Start>
  <Gather numDigits="8" finishOnKey="#" timeout="10" action="/order">
    <Say>Please enter the eight digits of your order, then press hash.</Say>
  </Gather>
  <Redirect>/orders</Redirect>`),
    'order.xml': document(`
  <Say>One moment please.</Say>
  <Stop><Recording/></Stop>
  <Pay paymentConnector="Default" chargeAmount="20.45" action="/paid"/>`),
    'paid.xml': document(`
  <Say>Thank you for your payment.</Say>
  <Redirect>https://app.example/what-next</Redirect>`),
  },

  // The caller talks with a bot over a web socket, and with the front desk after it; an extension of it is dialled.
  'bot-then-desk': {
    'bot.xml': document(`
  <Say>Hello. You are talking with our assistant.</Say>
  <Connect action="/desk"><Stream url="wss://bot.example/media"/></Connect>`),
    'desk.xml': document(`
  <Play digits="ww1"/>
  <Say>We connect you with the front desk.</Say>
  <Dial timeout="30" hangupOnStar="true"><Number sendDigits="wwww1928">+15556667777</Number></Dial>
  <Say>The front desk does not answer.</Say>
  <Dial><Sip>sip:desk@pbx.example</Sip></Dial>
  <Reject reason="busy"/>`),
  },
};
