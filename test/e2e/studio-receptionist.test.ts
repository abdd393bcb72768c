/**
 * A receptionist built by hand, from a new flow to a telephone that calls it, without a line of YAML: by mouse, list of
 * steps and forms. In Chromium, against the started service.
 */
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { program } from '../programs.ts';
import { accessibilityProblems, browser, openStudio, type Studio } from './browser.ts';
import { type Hands, handsAt } from './hands.ts';
import { invite, isHungUp, playCaller, presses, receives, request, sdp, waits } from './scenario.ts';
import { type Service, startService } from './service.ts';

const ADDRESS = '127.0.0.146';
const CALLER_ADDRESS = '127.0.0.147';
const ANNA = 'sip:anna@127.0.0.148';
const sipp = program('sipp');
/** Acts that the building took when it was written, rounded up. */
const MOST_ACTS = 105;
/** Acts of the first half by keyboard, with each Tab, rounded up. */
const MOST_KEYS = 60;

describe.skipIf(browser.missing)(`a receptionist built by hand${browser.why}`, { timeout: 120_000 }, () => {
  let service: Service;
  let studio: Studio;
  let page: Page;
  let hands: Hands;

  const saved = (): string => readFileSync(join(service.directory, 'flows/reception.flow.yaml'), 'utf8');
  const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 15_000 });
  const card = (step: string): Locator => page.locator(`.card[data-step="${step}"]`);
  const exit = (step: string, outcome: string): Locator => card(step).locator(`[data-exit="${outcome}"]`);
  const picker = (): Locator => page.getByRole('dialog', { name: /What (should happen|happens first)/ });
  const form = (): Locator => page.locator('.form-pane');
  const field = (name: string): Locator => form().getByRole('textbox', { name, exact: true });
  const words = (path: string): Locator => form().locator(`[data-field="${path}"]`).getByRole('textbox');
  const leadsTo = (outcome: string): Locator => form().getByRole('combobox', { name: `${outcome} leads to` });
  const button = (name: string | RegExp): Locator => page.getByRole('button', { name });

  /** Adds a step at an exit from the list. */
  const add = async (at: Locator, group: RegExp, name: string): Promise<void> => {
    await hands.plus(at);
    await hands.click(picker().getByRole('button', { name: group }));
    await hands.click(picker().getByRole('option', { name }).last());
  };
  /** Adds a step that asks for something. */
  const addAsked = async (at: Locator, group: RegExp, name: string, answer: string): Promise<void> => {
    await add(at, group, name);
    await eventually(() => picker().locator('.picker-question input:focus').count()).toBe(1);
    await hands.type(answer);
    await hands.press('Enter');
    await eventually(() => picker().count()).toBe(0);
  };
  /** Adds a step that says these words. */
  const addWords = async (at: Locator, said: string): Promise<void> => {
    await hands.plus(at);
    await eventually(() => picker().getByRole('combobox').and(page.locator(':focus')).count()).toBe(1);
    await hands.type(said);
    await hands.press('Enter');
    await eventually(() => picker().count()).toBe(0);
  };
  const addTo = async (list: string, ...items: string[]): Promise<void> => {
    await hands.click(field(`Add to ${list}`));
    for (const item of items) {
      await hands.type(item);
      await hands.press('Enter');
    }
  };
  /** Names the choices that a menu begins with, and writes its words. */
  const writeMenu = async (prompt: string, first: string, second: string): Promise<void> => {
    await hands.write(words('menu.prompt'), prompt);
    await hands.write(field('Name of choice first'), first);
    await hands.write(field('Name of choice second'), second);
    await hands.press('Enter');
  };
  /** Waits until the check of the current text has found nothing. */
  const hasNoProblems = async (): Promise<void> => {
    await eventually(() => page.locator('.status').innerText()).toMatch(/^✓ no problems.*checked in/s);
  };
  const save = async (): Promise<void> => {
    await hands.click(page.locator('.actions .primary:enabled'));
    await eventually(() => page.locator('.actions .primary:disabled').count()).toBe(1);
  };

  beforeAll(async () => {
    service = await startService({
      directory: mkdtempSync(join(tmpdir(), 'studio-receptionist-')),
      address: ADDRESS,
      sip: { allow_sip_uris: [CALLER_ADDRESS, '127.0.0.148'] },
      numbers: [],
      flows: {},
    });
    studio = await openStudio(service, { width: 1600, height: 1100, column: 'form' });
    ({ page } = studio);
    page.setDefaultTimeout(8000);
    hands = handsAt(page);
  }, 120_000);
  afterAll(async () => {
    await studio?.close();
    await service?.stop();
  });

  test('begins as a new flow with a greeting, whose words are written', async () => {
    await studio.open('/flows');
    await hands.click(button(/^New flow/).first());
    await hands.write(page.locator('.name-field input'), 'reception');
    await hands.click(button('Create flow'));
    await hands.select(card('hello'));
    await hands.write(words('play.prompt'), 'Welcome to the bakery on the corner.');
    await hasNoProblems();
  });

  test('opens on weekdays and on Saturday morning, and says when it is closed', async () => {
    await add(card('hello'), /Decide/, 'Opening hours');
    await eventually(() => field('Hours in words').inputValue()).toBe('Mon–Fri 9–17');
    await hands.write(field('Hours in words'), 'Mon–Fri 9–17; Sat 9–12');
    await hands.press('Enter');
    await addTo('holidays', '25.12.2099 Christmas');
    await addWords(exit('schedule', 'closed'), 'We are closed now. Please call again tomorrow.');
    await hands.select(card('schedule'));
    await hands.choose(leadsTo('Holiday'), 'play');
    await hasNoProblems();
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test('offers four choices with keys and names of their own', async () => {
    await add(exit('schedule', 'open'), /Say and ask/, 'Menu');
    const prompt = 'For our hours press 1, to order press 2, to talk to us press 3, for a message press 0.';
    await writeMenu(prompt, 'hours', 'order');
    await addTo('choices', 'desk', 'message');
    await hands.click(button(/^Key 4 for message/));
    await hands.press('0');
    await button(/^Key 0 for message/).waitFor();
    await addWords(exit('menu', 'hours'), 'We are open from nine to five.');
    await hasNoProblems();
  });

  test('takes a message, and connects to an agent who may not answer', async () => {
    await add(exit('menu', 'message'), /Say and ask/, 'Record a message');
    await hands.write(words('record.prompt'), 'Leave a message after the tone.');
    await addAsked(exit('menu', 'desk'), /Connect/, 'Connect to somebody', ANNA);
    await hands.write(words('bridge.whisper'), 'A caller from the menu.');
    await hands.choose(leadsTo('It does not work'), 'record');
    await hasNoProblems();
  });

  test('asks a web service in a second menu, and decides by its answer', async () => {
    await add(exit('menu', 'order'), /Say and ask/, 'Menu');
    await writeMenu('For bread press 1, for cakes press 2.', 'bread', 'cakes');
    await addWords(exit('menu_2', 'cakes'), 'The cakes are sold out.');
    await addAsked(exit('menu_2', 'bread'), /Other systems/, 'Ask a web service', 'https://bakery.example/bread');
    await hands.write(words('request.meanwhile'), 'I am asking the baker.');
    await addTo('remember: name = value', 'left = ${ result.body.left }');
    await hands.choose(leadsTo('It does not work'), 'record');
    await addAsked(exit('request', 'ok'), /Decide/, 'If … then', 'vars.left > 0');
    await addWords(exit('branch', 'case.1'), 'There is bread left.');
    await addWords(exit('branch', 'else'), 'There is no bread left.');
    await hasNoProblems();
  });

  test('is saved, after some dozens of acts of a hand', async () => {
    await save();
    await eventually(saved).toContain('There is no bread left.');
    await hasNoProblems();
    console.log(`the receptionist took ${hands.acts()} acts`);
    expect(hands.acts()).toBeLessThanOrEqual(MOST_ACTS);
  });

  describe('in simulated calls', () => {
    const conversation = (): Locator => page.getByRole('list', { name: 'Conversation' });
    const hears = (said: string): Promise<void> => conversation().getByText(said).first().waitFor();
    const beginAtTen = async (): Promise<void> => {
      await hears('We are closed now. Please call again tomorrow.');
      await page.getByLabel('Call begins').fill('2026-03-02T10:00');
      await hands.press('Enter');
      await hears('For our hours press 1');
    };
    const callAgain = async (...keys: string[]): Promise<void> => {
      await hands.press('n');
      for (const key of keys) await hands.press(key);
    };

    test('is closed early in the morning, and open at ten', async () => {
      await hands.click(button(/^Simulate (?!from)/));
      await beginAtTen();
    });

    test('says the hours on key 1, and is kept as a test that passes', async () => {
      await hands.press('1');
      await hears('We are open from nine to five.');
      await hands.press('t');
      await page.getByLabel('Test name').fill('the hours are read out');
      await eventually(() => page.getByLabel('Test text').inputValue()).toContain(
        'path: [hello, schedule, menu, play_2',
      );
      await hands.press('Enter');
      await page.getByText('Test saved as reception.the-hours-are-read-out.test.yaml').waitFor();
    });

    test('reaches each other branch by keys', async () => {
      await callAgain('2', '2');
      await hears('The cakes are sold out.');
      await callAgain('2', '1');
      const asked = page.getByRole('group', { name: /What does request get/ });
      await asked.getByLabel('Body, as JSON').fill('{ "left": 3 }');
      await asked.getByRole('button', { name: 'Answer', exact: true }).click();
      await hears('There is bread left.');
      // A new call asks again.
      await hands.click(button(/^Simulate (?!from)/));
      await hands.click(button(/^Simulate (?!from)/));
      await beginAtTen();
      await hands.press('2', '1');
      await asked.getByLabel('Body, as JSON').fill('{ "left": 0 }');
      await asked.getByRole('button', { name: 'Answer', exact: true }).click();
      await hears('There is no bread left.');
      await callAgain('3');
      const party = page.getByRole('group', { name: /What does .*anna.* do/ });
      await party.getByRole('button', { name: 'does not answer' }).click();
      await hears('Leave a message after the tone.');
      for (const step of ['bridge', 'record']) await page.locator(`.card.visited[data-step="${step}"]`).waitFor();
      await hands.click(button(/^Tests/));
      await page.getByRole('region', { name: 'Tests' }).getByText('1 test passes').waitFor();
      await hands.click(button(/^Tests/));
    });
  });

  test('opens day and night by its form, so that the hour of this test does not matter', async () => {
    await studio.open('/flows/reception');
    await hands.select(card('schedule'));
    await hands.write(field('Hours in words'), 'every day 0–24');
    await hands.press('Enter');
    await hasNoProblems();
    await save();
    await eventually(() => parse(saved()).steps.schedule.schedule.open).toEqual([{ from: '00:00', to: '24:00' }]);
  });

  test('gets a number where one asks how to call it', async () => {
    await hands.click(button('Call reception with a telephone'));
    await hands.click(button('Give it a number'));
    await hands.write(page.getByRole('dialog', { name: 'Give reception a number' }).getByLabel('Number'), '7000');
    await hands.press('Enter');
    await page.getByText(`sip:7000@${ADDRESS}`).first().waitFor();
    await hands.press('Escape');
  });

  test.skipIf(sipp.missing)(`answers a telephone, step by step as it was built${sipp.why}`, async () => {
    const offer = invite({ body: sdp({ keys: true }) });
    const steps = [offer, receives(200), request('ACK'), waits(700), presses('1'), isHungUp()];
    const caller = await playCaller(steps, { target: service.sip, address: CALLER_ADDRESS, number: '7000' });
    const ended = await caller.ended;
    expect(ended, ended.output.slice(-2000)).toMatchObject({ successful: 1, failed: 0 });
    await studio.open('/calls');
    await page.getByRole('listbox', { name: 'Calls', exact: true }).getByRole('option').first().click();
    for (const step of ['hello', 'schedule', 'menu', 'play_2', 'bye']) {
      await page.locator(`.card.visited[data-step="${step}"]`).waitFor();
    }
    expect(studio.problems.filter((line) => !/status of (409|412|422)/.test(line))).toEqual([]);
  });

  describe('built by keys alone', () => {
    const hasFocus = async (wanted: Locator): Promise<boolean> =>
      (await wanted.and(page.locator(':focus')).count()) > 0;
    const isFocused = (wanted: Locator) => eventually(() => hasFocus(wanted)).toBe(true);
    /** Presses a key that moves the focus, until it is there. */
    const goBy = async (key: string, wanted: Locator): Promise<void> => {
      await wanted.waitFor();
      for (let times = 0; times < 40 && !(await hasFocus(wanted)); times++) await hands.press(key);
      await isFocused(wanted);
    };
    const typeInto = async (wanted: Locator, text: string): Promise<void> => {
      await goBy('Tab', wanted);
      await hands.press('Control+a');
      await hands.type(text);
    };
    const savedByKeys = (): string => readFileSync(join(service.directory, 'flows/by-keys.flow.yaml'), 'utf8');

    test('gets its greeting, its menu and what a choice says', async () => {
      page = await studio.another();
      page.setDefaultTimeout(8000);
      hands = handsAt(page);
      await page.goto(`${service.url}/studio/flows`);
      await page.locator('.flow-list li').first().waitFor();
      await hands.press('n');
      await typeInto(page.locator('.name-field input'), 'by-keys');
      await hands.press('Enter');
      await form().locator('.form-head').waitFor();
      await goBy('F6', card('hello'));
      await hands.press('Enter');
      await isFocused(words('play.prompt'));
      await hands.press('Control+a');
      await hands.type('Welcome to the bakery on the corner.');
      await goBy('F6', card('hello'));
      await hands.press('a');
      await isFocused(picker().getByRole('combobox'));
      await hands.type('menu');
      await hands.press('Enter');
      await isFocused(card('menu'));
      await hands.press('Enter');
      await isFocused(words('menu.prompt'));
      await hands.type('For our hours press 1, to order press 2.');
      await typeInto(field('Name of choice first'), 'hours');
      await typeInto(field('Name of choice second'), 'order');
      await goBy('F6', card('menu'));
      await hands.press('a', 'a');
      await isFocused(picker().getByRole('combobox'));
      await hands.type('We are open from nine to five.');
      await hands.press('Enter');
      await isFocused(card('play'));
      await hasNoProblems();
      await hands.press('Control+s');
      await eventually(() => parse(savedByKeys()).steps).toMatchObject({
        menu: { menu: { choices: { hours: { dtmf: '1' }, order: { dtmf: '2' } } }, exits: { hours: 'play' } },
        play: { play: 'We are open from nine to five.' },
      });
    });

    test('gets its number by the dialog of the telephone', async () => {
      await hands.press('p');
      await goBy('Tab', button('Give it a number'));
      await hands.press('Enter');
      await goBy('Tab', page.getByRole('dialog', { name: 'Give by-keys a number' }).getByLabel('Number'));
      await hands.type('7001');
      await hands.press('Enter');
      await page.getByText(`sip:7001@${ADDRESS}`).first().waitFor();
      console.log(`the first half took ${hands.acts()} acts of the keyboard`);
      expect(hands.acts()).toBeLessThanOrEqual(MOST_KEYS);
    });
  });
});
