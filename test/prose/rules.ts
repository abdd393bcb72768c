/** Rules of plain English: a pattern for what a sentence must not contain, and what to write instead. */
export type Genre = 'comment' | 'doc' | 'message' | 'schema' | 'title' | 'ui';
/** The titles of groups and of tests share the genre `title`; some rules hold for one of them only. */
export type Kind = Exclude<Genre, 'title'> | 'describe' | 'test';

export interface Rule {
  id: string;
  in: readonly Kind[];
  /** Matches a sentence that breaks the rule. */
  forbids: RegExp | ((sentence: string) => boolean);
  advice: string;
}

const COMMENT = ['comment'] as const;
const TITLES = ['describe', 'test'] as const;
const PROSE = ['comment', 'doc', 'message', 'schema'] as const;
const SENTENCES = [...PROSE, 'ui'] as const;
const ALL = [...SENTENCES, ...TITLES] as const;

const MIN_TITLE_WORDS = 4;
const MAX_SENTENCE_WORDS = 38;
const wordsOf = (sentence: string): string[] => sentence.split(/\s+/).filter((word) => word !== '');

/** `PUT /play: `, `%s: `, `after a crash: `: a title may name the route, the case or the condition before its verb. */
const TITLE_PREFIX = /^[^:]{1,60}: (?=\S+ )/;
/** A case of a table may be the subject itself: "%j is refused". */
const TITLE_SUBJECT = /^(?:\?%\w+|[%$]\w+|`x`) (?=\w+s )/;
/** `are` and `cannot` follow a group in the plural. */
const THIRD_PERSON =
  /^(?:(?:also|always|never|still) )?(?:are|cannot|does|has|is|[a-z-]{2,}s)\b(?! (?:are|can|do|get|have|may|must|take|(?<!warns )of|that|were|who)\b)/;
const NOT_VERBS = /^(?:across|always|as|its|less|others|perhaps|themselves|this|times|towards|unless|was|whose|yes)\b/;

const lacksVerb = (title: string): boolean => ![title, title.replace(TITLE_PREFIX, '')].some(startsWithVerb);

function startsWithVerb(title: string): boolean {
  const said = title.replace(TITLE_SUBJECT, '');
  return THIRD_PERSON.test(said) && !NOT_VERBS.test(said.replace(/^always /, ''));
}

export const RULES: readonly Rule[] = [
  {
    id: 'headless',
    in: PROSE,
    forbids: /^(?!What happens\b)(?:Who(?!le)|Whoever|Whom|What|Whatever|Whichever|Whose|Those)\b(?![^.?!]*\?)/,
    advice: 'start with the noun: the caller, the agent, the request, the events',
  },
  {
    id: 'headless-where',
    in: COMMENT,
    forbids:
      /^(?:Where|Without|By what|(?:To|For|From) whom|(?:Until|Since|By) when|How far)\b(?![^.?!]*\?)(?![^.,]{2,70}, )/,
    advice: 'say which object it is: "Location of …", "Time at which …"',
  },
  {
    id: 'of-opener',
    in: ['comment', 'doc'],
    forbids: /^Of (?!course)(?:[a-z ]+,|(?:those|what|them|all|the|a|an|several|two|ours|one)\b)/,
    advice: 'put the subject first: "Only the first of … is kept"',
  },
  {
    id: 'dangling-pronoun',
    in: COMMENT,
    forbids:
      /^(?:One (?:that|for|who|which|is|by|in|at|with)|All of it|Each (?:that|of (?:them|those))|The same (?:by|for|of|with|as|in)|None that|Some that|Only (?:those|what|who|one)|Also (?:those|what|who|where))\b/,
    advice: 'repeat the noun: "Each call …", "Only events that …"',
  },
  {
    id: 'headless-title',
    in: TITLES,
    forbids: /^(?:who(?!le)|whoever|whom|what|whatever|whose|those|whether|of|by|where|without|that|which)\b/i,
    advice: 'name the subject in `describe`; start the title with a verb: "rejects …", "keeps …"',
  },
  {
    id: 'title-verb',
    in: ['test'],
    forbids: lacksVerb,
    advice: 'start with a verb in the third person: "returns 503 …"',
  },
  {
    id: 'short-title',
    in: ['test'],
    forbids: (title) => wordsOf(title).length < MIN_TITLE_WORDS,
    advice: `say behaviour, object and condition in at least ${MIN_TITLE_WORDS} words`,
  },
  {
    id: 'goes-on',
    in: ALL,
    forbids: /\b(?:go|goes|going|went|gone) on\b(?! (?:to|hold|air)\b)/i,
    advice: 'continues, is active, is in progress',
  },
  { id: 'anew', in: ALL, forbids: /\banew\b/i, advice: 'again, from the start, re-…' },
  { id: 'of-ours', in: ALL, forbids: /\bof (?:ours|theirs)\b/i, advice: 'of this node, of this service, supported' },
  {
    id: 'nobody',
    in: [...PROSE, ...TITLES],
    forbids: /\b(?:nobody|somebody|anybody|everybody)\b/i,
    advice: 'name the role: caller, agent, callee, participant, user, client, node',
  },
  { id: 'by-itself', in: ALL, forbids: /\bby (?:itself|themselves)\b/i, advice: 'automatically, on its own, alone' },
  { id: 'all-the-same', in: ALL, forbids: /\ball the same\b/i, advice: 'anyway, nevertheless, still' },
  {
    id: 'as-far-as',
    in: SENTENCES,
    forbids: /\bas far as\b(?! (?:I|we) know)(?![^.]{0,40}\bconcerned)(?! \w+ needs?\b)/i,
    advice: 'if, where, to the extent that, up to',
  },
  {
    id: 'is-no',
    in: ALL,
    forbids:
      /(?<!\b[Tt]here )\b(?:is|are|was|were) no (?!longer\b|more\b|one\b|later\b|earlier\b|less\b|such\b|fewer\b)[a-z`"'$%]/,
    advice: 'is not a …, is not valid …',
  },
  {
    id: 'is-so',
    in: SENTENCES,
    forbids: /\bis (?:it )?so (?:also|too|from)\b|\bmay be so\b|\b(?:that|what|it) is so\b/i,
    advice: 'name the state: muted, on hold, expired, current',
  },
  {
    id: 'under-way',
    in: SENTENCES,
    forbids: /\bin sight\b|\bat hand\b|\bunder way\b|\bto and fro\b/i,
    advice: 'available; in flight, in progress; back and forth',
  },
  {
    id: 'clause-as-subject',
    in: SENTENCES,
    forbids:
      /[,;:] (?:what|whoever|those|who) (?:(?!(?:and|or|if|to)\b)[\w’'`-]+ ){1,6}(?:is|are|was|were|has|have|goes|comes|stays|keeps|gets|takes)\b[^?]*$/,
    advice: 'turn the clause into a noun: the request, the caller, the rest',
  },
  {
    id: 'comes-to',
    in: SENTENCES,
    forbids:
      /\bcom(?:e|es|ing) to nothing\b|\b(?:is|are|to be) had\b|\bcom(?:es?|ing) of (?:it|them|that)\b|\b(?:becomes?|became) of\b/i,
    advice: 'fails, is available, results in, happens to',
  },
  {
    id: 'hears-of',
    in: SENTENCES,
    forbids:
      /\bhear(?:s|d|ing)? of\b|(?<!can )\b(?:is|are|was|were|be|been|being) told\b(?! (?:from|apart|to|something))|\btell(?:s|ing)? (?:nobody|somebody|everybody|whoever)\b/i,
    advice: 'is notified, receives, is informed, gets the error',
  },
  {
    id: 'way',
    in: SENTENCES,
    forbids:
      /\b(?:by the way that|the ways? (?:that|taken|so far|back (?:to|by)|from)|(?:its|their|both|all|which|these|those|no|each|every) ways?|a way (?:that|there|of|through|from)|ways (?:that|of|there)|goes another way|the same way\.|(?:by|in) another way)\b/i,
    advice: 'path, route, outcome, branch, edge; method',
  },
  {
    id: 'for-good',
    in: SENTENCES,
    forbids: /\bfor good\b|\bof itself\b|\bfor (?:itself|themselves) alone\b|\bonce and for all\b/i,
    advice: 'permanently',
  },
  {
    id: 'nothing-of',
    in: SENTENCES,
    forbids:
      /\bnothing (?:of (?:it|them|that|this|the|ours|somebody)|goes|comes|came|went|begins|stands)\b|\bwithout a word\b|\b(?:says?|knows?) nothing\b/i,
    advice: 'state it with the noun: "no event is sent", "returns undefined", "has no effect"',
  },
  {
    id: 'metaphor',
    in: ALL,
    forbids:
      /\b(?:shelf|doors?|luggage|patience|parcels?|guests?|strangers?|household|wander(?:s|ed)?|trapped|astray)\b|\bneighbours?\b(?!:)/i,
    advice: 'use the technical term',
  },
  {
    id: 'control-label',
    in: ['ui'],
    forbids:
      /^(?:Make it|Take it up|One out|Keep as|Kept as|Play on|Lead |Begin with|Let |What it |Its |On the phone|Larger|Smaller|Of |Who |Whose |Those |The [a-z]+ before)\b/,
    advice: 'label a button with verb and object, a heading with a noun',
  },
  {
    id: 'long-sentence',
    in: ['doc'],
    forbids: (sentence) => wordsOf(sentence).length > MAX_SENTENCE_WORDS,
    advice: 'at most 25 to 30 words: split it, or make a list',
  },
];
