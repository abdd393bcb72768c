import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { flowInSvg, sizeOfSvg } from '../../../src/pages/studio/web/graph/export-svg.ts';
import { layOut } from '../../../src/pages/studio/web/graph/layout.ts';
import { textWidth } from '../../../src/pages/studio/web/graph/text-width.ts';
import { accessibilityProblems } from '../axe.ts';
import { type CanvasOptions, type CanvasPage, CanvasPages } from './browser.ts';
import { launchBrowser, noBrowser } from './chromium.ts';
import { companyFlow } from './company-flow.ts';
import { graphIn, textOf } from './flows.ts';

const order = textOf('flows/order-status.flow.yaml');
const sizeAtTwice = (text: string): number[] => {
  const { width, height } = sizeOfSvg(layOut(graphIn(text), { measure: textWidth }));
  return [2 * width, 2 * height];
};

describe.skipIf(noBrowser !== undefined)(
  `the canvas in a browser${noBrowser ? ` (skipped: ${noBrowser})` : ''}`,
  { timeout: 60_000 },
  () => {
    let browser: Browser;
    let canvases: CanvasPages;
    const opened: CanvasPage[] = [];
    beforeAll(async () => {
      browser = await launchBrowser();
      canvases = new CanvasPages(browser);
    });
    afterAll(() => browser?.close());
    afterEach(() => {
      for (const { errors } of opened.splice(0)) expect(errors).toEqual([]);
    });
    const open = async (flow: string, options?: CanvasOptions): Promise<Page> => {
      const canvas = await canvases.open(flow, options);
      opened.push(canvas);
      return canvas.page;
    };
    const press = async (page: Page, keys: string): Promise<void> => {
      for (const key of keys.split(' ')) await page.keyboard.press(key);
    };
    const selected = (page: Page): Promise<string | undefined> => page.evaluate(() => studio.selected.value);
    const focused = (page: Page): Promise<string | undefined> =>
      page.evaluate(() => (document.activeElement as HTMLElement).dataset['step']);
    const callsOf = (page: Page): Promise<unknown[][]> => page.evaluate(() => studio.calls);
    const card = (page: Page, step: string) => page.locator(`[data-step="${step}"]`);

    it('turns a scroll of the browser into a pan, so that its toolbar stays in place', async () => {
      const page = await open(order);
      const canvas = page.locator('.canvas');
      const tools = page.locator('.canvas-tools');
      const before = (await tools.boundingBox())!;
      const isInView = (step: string): Promise<boolean> =>
        card(page, step).evaluate((element) => {
          const { left, top, right, bottom } = element.getBoundingClientRect();
          const box = document.querySelector('.canvas')!.getBoundingClientRect();
          return left >= box.left && top >= box.top && right <= box.right + 1 && bottom <= box.bottom + 1;
        });
      await page.mouse.move(before.x - 200, before.y + 200);
      for (const reveal of ['focus', 'scrollIntoView'] as const) {
        await page.mouse.wheel(-5000, -3000);
        await expect.poll(() => isInView('ask_order')).toBe(false);
        await card(page, 'ask_order').evaluate((element, how) => (element as HTMLElement)[how](), reveal);
        await expect.poll(() => isInView('ask_order')).toBe(true);
        expect(await canvas.evaluate(({ scrollLeft, scrollTop }) => [scrollLeft, scrollTop])).toEqual([0, 0]);
        expect(await tools.boundingBox()).toEqual(before);
      }
    });

    it('offers the way back to the flow when no card is in view', async () => {
      const page = await open(order);
      const back = page.getByRole('button', { name: 'Back to the flow' });
      expect(await back.count()).toBe(0);
      await page.mouse.move(400, 300);
      await page.mouse.wheel(-9000, -9000);
      await back.click();
      await expect.poll(() => back.count()).toBe(0);
      expect(await card(page, 'ask_order').boundingBox()).toMatchObject({ x: expect.any(Number) });
    });

    it('is one tab stop, and the arrows walk along its exits and back', async () => {
      const page = await open(order);
      await press(page, 'Tab');
      expect(await focused(page)).toBe('ask_order');
      await press(page, 'ArrowRight');
      await expect.poll(() => focused(page)).toBe('look_up');
      expect(await selected(page)).toBe('look_up');
      await press(page, 'ArrowDown ArrowRight');
      await expect.poll(() => focused(page)).toBe('unknown');
      await press(page, 'ArrowLeft');
      await expect.poll(() => focused(page)).toBe('look_up');
      // The last exit, and then the card below.
      await press(page, 'ArrowDown ArrowDown ArrowDown');
      expect(await selected(page)).toBe('look_up');
      await press(page, 'Home');
      await expect.poll(() => focused(page)).toBe('ask_order');
      await press(page, 'Tab');
      expect(await focused(page)).toBeUndefined();
    });

    it('leads an exit elsewhere by letters alone', async () => {
      const page = await open(order);
      await press(page, 'Tab ArrowRight e');
      const letters = page.locator('[data-step="look_up"] .row .hint');
      expect(await letters.allTextContents()).toEqual(['a', 'b', 'c']);
      await press(page, 'b');
      const target = await card(page, 'goodbye').locator('.hint').textContent();
      await press(page, target!);
      expect(await callsOf(page)).toEqual([['onRetarget', 'look_up', 'not_found', 'goodbye']]);
      expect(await page.locator('.hint').count()).toBe(0);
    });

    it('forgets what was being picked at Escape', async () => {
      const page = await open(order);
      await press(page, 'Tab ArrowRight e a Escape');
      expect(await page.locator('.hint').count()).toBe(0);
      expect(await callsOf(page)).toEqual([]);
    });

    it('adds, renames, deletes, opens, copies and pastes by keys', async () => {
      const page = await open(order, { permissions: ['clipboard-read', 'clipboard-write'] });
      await press(page, 'Tab ArrowRight a c r x Enter');
      expect(await callsOf(page)).toEqual([
        ['onAdd', 'look_up', 'failed'],
        ['onRename', 'look_up'],
        ['onDelete', ['look_up']],
        ['onOpen', 'look_up'],
      ]);
      const copied = await page.evaluate(() => {
        const data = new DataTransfer();
        document.activeElement!.dispatchEvent(
          new ClipboardEvent('copy', { clipboardData: data, bubbles: true, cancelable: true }),
        );
        return data.getData('text/plain');
      });
      expect(copied).toBe('the text of look_up');
      await page.evaluate(() => {
        const data = new DataTransfer();
        data.setData('text/plain', 'a: { hangup: normal }');
        document.activeElement!.dispatchEvent(
          new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
        );
      });
      expect((await callsOf(page)).at(-1)).toEqual(['onPaste', 'a: { hangup: normal }', 'look_up']);
    });

    it('moves an exit by a drag from its port, and adds a step when dropped on empty space', async () => {
      const page = await open(order);
      const port = card(page, 'look_up').locator('[data-exit="failed"] .port');
      const drag = async (x: number, y: number): Promise<void> => {
        const from = (await port.boundingBox())!;
        await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
        await page.mouse.down();
        await page.mouse.move(x - 30, y, { steps: 4 });
        expect(await page.locator('.wire.dragged').count()).toBe(1);
        await page.mouse.move(x, y);
        await page.mouse.up();
        expect(await page.locator('.wire.dragged').count()).toBe(0);
      };
      const goodbye = (await card(page, 'goodbye').boundingBox())!;
      await drag(goodbye.x + 20, goodbye.y + 10);
      await drag(400, 780);
      expect(await callsOf(page)).toEqual([
        ['onRetarget', 'look_up', 'failed', 'goodbye'],
        ['onAdd', 'look_up', 'failed'],
      ]);
    });

    it('leads an exit elsewhere by a tap on its port and a tap on the target', async () => {
      const page = await open(order, { hasTouch: true });
      await card(page, 'look_up').locator('[data-exit="ok"] .port').tap();
      await card(page, 'shipped').locator('header').tap();
      expect(await callsOf(page)).toEqual([['onRetarget', 'look_up', 'ok', 'shipped']]);
    });

    it('pans by dragging without selecting, zooms at the pointer, and shows all again', async () => {
      const page = await open(order);
      const place = () => page.locator('.layer').evaluate((layer) => layer.style.transform);
      await card(page, 'shipped').focus();
      await press(page, '0');
      const whole = await place();
      const before = (await card(page, 'shipped').boundingBox())!;
      await page.mouse.move(before.x + 5, before.y + 5);
      await page.mouse.down();
      await page.mouse.move(before.x + 65, before.y + 45, { steps: 3 });
      await page.mouse.up();
      const after = (await card(page, 'shipped').boundingBox())!;
      expect([after.x - before.x, after.y - before.y].map(Math.round)).toEqual([60, 40]);
      expect(await selected(page)).toBeUndefined();
      await page.mouse.move(after.x, after.y);
      await page.keyboard.down('Control');
      await page.mouse.wheel(0, -40);
      await page.keyboard.up('Control');
      const larger = (await card(page, 'shipped').boundingBox())!;
      expect(larger.width).toBeGreaterThan(after.width * 1.2);
      expect([larger.x - after.x, larger.y - after.y].map(Math.round)).toEqual([0, 0]);
      await card(page, 'shipped').focus();
      await press(page, '0');
      expect(await place()).toBe(whole);
    });

    it('pans with one finger and pinches with two', async () => {
      const page = await open(order, { hasTouch: true });
      const cdp = await page.context().newCDPSession(page);
      const fingers = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...touchPoints: { x: number; y: number }[]) =>
        cdp.send('Input.dispatchTouchEvent', { type, touchPoints });
      const place = async () => (await card(page, 'by_state').boundingBox())!;
      const before = await place();
      await fingers('touchStart', { x: 300, y: 650 });
      await fingers('touchMove', { x: 320, y: 660 });
      await fingers('touchMove', { x: 340, y: 680 });
      await fingers('touchEnd');
      const panned = await place();
      expect([panned.x - before.x, panned.y - before.y].map(Math.round)).toEqual([40, 30]);
      await fingers('touchStart', { x: 500, y: 650 }, { x: 600, y: 650 });
      await fingers('touchMove', { x: 450, y: 650 }, { x: 650, y: 650 });
      await fingers('touchEnd');
      expect((await place()).width / panned.width).toBeCloseTo(2 / 1, 0);
      expect(await selected(page)).toBeUndefined();
    });

    it('keeps a big flow whole while its space changes, until the user moves it', async () => {
      const page = await open('');
      expect(await page.getByRole('button', { name: 'What happens first?' }).count()).toBe(1);
      await page.evaluate((text) => {
        studio.text.value = text;
      }, companyFlow(130));
      const isWhole = () =>
        page.locator('.card').evaluateAll((cards) =>
          cards.every((each) => {
            const { left, right } = each.getBoundingClientRect();
            return left >= 0 && right <= innerWidth;
          }),
        );
      expect(await isWhole()).toBe(false);
      await card(page, 'hours').focus();
      await press(page, '0');
      await expect.poll(isWhole).toBe(true);
      await page.setViewportSize({ width: 800, height: 600 });
      await expect.poll(isWhole).toBe(true);
      await page.getByRole('button', { name: 'Zoom in' }).click();
      const before = await card(page, 'main_1').boundingBox();
      await page.setViewportSize({ width: 700, height: 600 });
      expect(await card(page, 'main_1').boundingBox()).toEqual(before);
    });

    it('keeps the focus in the picture when the step with the focus goes', async () => {
      const page = await open(order);
      await press(page, 'Tab ArrowRight ArrowDown ArrowRight');
      await expect.poll(() => focused(page)).toBe('unknown');
      await page.evaluate(() => {
        studio.text.value = studio.text.value.replace(/\n {2}unknown: .*next: ask_order.*/, '');
      });
      await expect.poll(() => card(page, 'unknown').count()).toBe(0);
      await expect.poll(() => focused(page)).toBe('ask_order');
    });

    it('is gone at once when it is closed, whatever changes then', async () => {
      const page = await open(companyFlow(130));
      for (let times = 0; times < 6; times++) await page.getByRole('button', { name: 'Zoom in' }).click();
      await page.evaluate(() => {
        studio.close();
        studio.selected.value = 'billing_ring';
        const elsewhere = document.createElement('button');
        elsewhere.dataset['step'] = 'elsewhere';
        document.body.append(elsewhere);
        elsewhere.focus();
        elsewhere.remove();
      });
      expect(await page.locator('.canvas').count()).toBe(0);
    });

    it('jumps along a chip, and selects what is clicked', async () => {
      const page = await open(order);
      await card(page, 'shipped').locator('.chip').click();
      expect(await selected(page)).toBe('goodbye');
      await card(page, 'look_up').locator('[data-exit="failed"] .label').click();
      await press(page, 'ArrowRight');
      expect(await selected(page)).toBe('no_answer');
    });

    it('brings what is selected elsewhere into view, and takes no focus for it', async () => {
      const page = await open(companyFlow(130));
      await page.evaluate(() => (studio.selected.value = 'travel_ring'));
      await page.locator('.canvas').click({ position: { x: 5, y: 400 } });
      for (let times = 0; times < 6; times++) await page.getByRole('button', { name: 'Zoom in' }).click();
      await page.evaluate(() => (studio.selected.value = 'billing_ring'));
      const box = (await card(page, 'billing_ring').boundingBox())!;
      expect(box.x).toBeGreaterThan(0);
      expect(box.x + box.width).toBeLessThan(1280);
      expect(await focused(page)).toBeUndefined();
    });

    it('opens with text of at least 11 px and the start in view', async () => {
      for (const flow of [order, companyFlow(31), companyFlow(130)]) {
        const page = await open(flow, { viewport: { width: 1000, height: 800 } });
        const sizes = await page.locator('.card').evaluateAll((cards) => {
          const scale = Number(getComputedStyle(document.querySelector('.canvas')!).getPropertyValue('--scale'));
          const texts = cards.flatMap((each) => [
            ...each.querySelectorAll('strong, em, p, .label, .chip, .badges span'),
          ]);
          return texts.map((each) => Number.parseFloat(getComputedStyle(each).fontSize) * scale);
        });
        expect(sizes.length).toBeGreaterThan(20);
        expect(Math.min(...sizes)).toBeGreaterThan(10.99);
        const start = (await page.locator('.card:has(.flag)').boundingBox())!;
        expect(start.x).toBeGreaterThanOrEqual(0);
        expect(start.y).toBeGreaterThanOrEqual(0);
        expect(start.y + start.height).toBeLessThanOrEqual(800);
      }
    });

    it('shows the names of all steps of a small flow at once', async () => {
      const page = await open(order, { viewport: { width: 1000, height: 840 } });
      await press(page, 'Tab 0');
      const titles = page.locator('.titles :is(.far-title, .short-name):visible');
      expect(await titles.count()).toBe(11);
      const cut = await titles.evaluateAll((all) =>
        all.filter((each) => each.scrollWidth > each.clientWidth + 1 || each.scrollHeight > each.clientHeight + 1),
      );
      expect(cut).toEqual([]);
      expect(await titles.first().evaluate((each) => each.getBoundingClientRect().height)).toBeGreaterThan(13);
      await card(page, 'look_up').click();
      expect(await card(page, 'look_up').locator('.far-exit').textContent()).toBe('ok → by_state');
    });

    it('draws bars that can be clicked, focused and named, also from beside them', async () => {
      const page = await open(companyFlow(130));
      const less = page.getByRole('button', { name: 'Zoom out' });
      for (let times = 0; times < 8; times++) await less.click();
      expect(await page.locator('.canvas.bars').count()).toBe(1);
      await card(page, 'hours').focus();
      expect(await focused(page)).toBe('hours');
      expect(await card(page, 'hours').locator('.bar-name').isVisible()).toBe(true);
      await press(page, 'ArrowRight');
      await expect.poll(() => selected(page)).toBe('welcome');
      const { x, y, height } = (await card(page, 'closed').boundingBox())!;
      expect(height).toBeLessThan(24);
      await page.mouse.click(x + 4, y + height + 3);
      expect(await selected(page)).toBe('closed');
      expect(await page.getByRole('group', { name: 'closed, play' }).count()).toBe(1);
    });

    it('opens a flow of 500 steps as an overview of named blocks, with a way into each and out again', async () => {
      const page = await open(companyFlow(500), { viewport: { width: 1000, height: 840 } });
      const cards = page.locator('.card');
      expect(await cards.count()).toBeLessThanOrEqual(40);
      expect(await page.locator('.canvas.bars').count()).toBe(0);
      await page.evaluate(() => {
        studio.overlays.value = { problems: new Map([['main_1', { severity: 'warning', message: 'no way back' }]]) };
      });
      const mark = (await card(page, 'main_1').locator('.problem').boundingBox())!;
      expect(Math.max(mark.width, mark.height)).toBeLessThan(24);
      await card(page, 'billing_hello').focus();
      await page.evaluate(() => (studio.selected.value = 'billing_hello'));
      await press(page, 'Enter');
      await expect.poll(() => card(page, 'billing_ask').count()).toBe(1);
      await expect.poll(() => focused(page)).toBe('billing_hello');
      expect(await cards.count()).toBe(15);
      expect(await page.locator('.canvas-trail').textContent()).toContain('company-500 › billing_menu');
      await press(page, 'Escape');
      await expect.poll(() => card(page, 'billing_ask').count()).toBe(0);
      await card(page, 'main_4').dblclick();
      await expect.poll(() => card(page, 'hours').count()).toBe(0);
      await expect.poll(() => page.locator('.card.block').count()).toBe(8);
      await page.evaluate(() => (studio.selected.value = 'welcome'));
      await expect.poll(() => card(page, 'welcome').count()).toBe(1);
      expect(await page.locator('.canvas-trail').count()).toBe(0);
      await card(page, 'billing_hello').dblclick();
      await page.getByRole('button', { name: 'company-500' }).click();
      await expect.poll(() => focused(page)).toBe('billing_hello');
    });

    it('draws near only what can be seen, and far all of it', async () => {
      const page = await open(companyFlow(500));
      await card(page, 'hours').focus();
      await press(page, 'Shift+F 0');
      await expect.poll(() => page.locator('.card').count()).toBe(492);
      expect(await page.locator('.card p').count()).toBe(0);
      for (let times = 0; times < 14; times++) await page.getByRole('button', { name: 'Zoom in' }).click();
      expect(await page.locator('.canvas.far').count()).toBe(0);
      expect(await page.locator('.card').count()).toBeLessThan(80);
    });

    it('folds a department to a block that says how much it holds, and unfolds it', async () => {
      const page = await open(companyFlow(130));
      await page.evaluate(() => (studio.selected.value = 'billing_ask'));
      await card(page, 'billing_ask').focus();
      await press(page, 'f');
      await expect.poll(() => focused(page)).toBe('billing_hello');
      expect(await card(page, 'billing_hello').getAttribute('aria-label')).toContain('billing_menu, group of 15 steps');
      expect(await card(page, 'billing_ask').count()).toBe(0);
      await press(page, 'f');
      await expect.poll(() => card(page, 'billing_ask').count()).toBe(1);
      await press(page, '0 Shift+F');
      await expect.poll(() => page.locator('.card.block').count()).toBe(8);
    });

    it('draws the flows of a step inside it', async () => {
      const flow =
        'flow: outer\nstart: a\nsteps:\n  a: { subflow: inner, exits: { done: b, error: b } }\n  b: { hangup: normal }\n';
      const inner = 'flow: inner\nstart: x\nsteps:\n  x: { play: "Hello inside.", next: y }\n  y: { return: done }\n';
      const page = await open(flow, { others: { inner } });
      await press(page, 'Tab i');
      await expect.poll(() => card(page, 'a').locator('.opened .card').count()).toBe(2);
      expect(await card(page, 'a').locator('.opened').textContent()).toContain('Hello inside.');
      await card(page, 'a').locator('.opened-name').click();
      expect(await callsOf(page)).toEqual([['onOpenFlow', 'inner']]);
      await press(page, 'i');
    });

    it('shows the ways of the defaults when asked, and says them once in a corner', async () => {
      const page = await open(order);
      expect(await page.locator('.defaults').textContent()).toBe('Default: error → apologise');
      expect(await page.locator('.row.default').count()).toBe(0);
      await press(page, 'Tab Shift+D');
      await expect.poll(() => page.locator('.row.default').count()).toBeGreaterThan(5);
    });

    it('keeps the last sound picture while the text has errors, and glides to the next', async () => {
      const page = await open(order, { reducedMotion: 'no-preference' });
      const count = () => page.locator('.card').count();
      const before = await count();
      await page.evaluate(() => (studio.text.value = studio.text.value.replace('exits: { ok:', 'exits: { ok')));
      expect(await count()).toBe(before);
      await page.evaluate(
        () =>
          (studio.text.value = studio.text.value
            .replace('exits: { ok', 'exits: { ok:')
            .replace('preparing: {', 'packing: {')),
      );
      await expect.poll(() => card(page, 'packing').count()).toBe(1);
      expect(await card(page, 'by_state').locator('.chip.missing').textContent()).toBe('? preparing');
    });

    it('overlays a path, the coverage of tests, problems and active calls', async () => {
      const page = await open(order);
      const exits = [
        ['ask_order collected', 1],
        ['look_up failed.timeout', 1],
      ] as const;
      await page.evaluate((walked) => {
        studio.overlays.value = {
          path: {
            steps: new Map([
              ['ask_order', 1],
              ['look_up', 2],
            ]),
            exits: new Map(walked),
            now: 'no_answer',
          },
        };
      }, exits);
      expect(
        await page
          .locator('.row.walked')
          .evaluateAll((rows) => rows.map((row) => (row as HTMLElement).dataset['exit'])),
      ).toEqual(['collected', 'failed']);
      expect(await card(page, 'no_answer').getAttribute('class')).toContain('now');
      expect(await card(page, 'look_up').locator('.visits').textContent()).toBe('2×');
      await page.evaluate((walked) => {
        studio.overlays.value = {
          coverage: { steps: new Map([['ask_order', 1]]), exits: new Map(walked) },
          problems: new Map([['by_state', { severity: 'error', message: 'there is no step' }]]),
          live: studio.live,
        };
      }, exits);
      expect(await card(page, 'look_up').locator('.row.hit').getAttribute('data-exit')).toBe('failed');
      expect(await card(page, 'shipped').getAttribute('class')).toContain('uncovered');
      expect(await card(page, 'by_state').getAttribute('aria-label')).toContain('error: there is no step');
      await page.evaluate(() => (studio.live.value = new Map([['shipped', 12]])));
      expect(await card(page, 'shipped').locator('.live').textContent()).toBe('12');
      await page.evaluate(() => (studio.live.value = new Map()));
      expect(await page.locator('.live').count()).toBe(0);
    });

    it('saves the picture with the text inside', async () => {
      const page = await open(order);
      await page.getByRole('button', { name: 'Save or print' }).click();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Save as SVG' }).click(),
      ]);
      expect(download.suggestedFilename()).toBe('order-status.svg');
      expect(flowInSvg(readFileSync(await download.path(), 'utf8'))).toBe(order);
    });

    it('saves a PNG of twice the size in light colours, also from a dark screen', async () => {
      const page = await open(order, { colorScheme: 'dark' });
      await page.getByRole('button', { name: 'Save or print' }).click();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Save as PNG' }).click(),
      ]);
      expect(download.suggestedFilename()).toBe('order-status.png');
      const bytes = readFileSync(await download.path());
      expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual(sizeAtTwice(order));
      const corner = await page.evaluate(
        async (url) => {
          const image = new Image();
          image.src = url;
          await image.decode();
          const pen = Object.assign(document.createElement('canvas'), { width: 4, height: 4 }).getContext('2d')!;
          pen.drawImage(image, 0, 0, image.width, image.height, 0, 0, image.width, image.height);
          return [...pen.getImageData(1, 1, 1, 1).data];
        },
        `data:image/png;base64,${bytes.toString('base64')}`,
      );
      expect(corner).toEqual([246, 247, 249, 255]);
    });

    it('prints the whole graph on pages of its own, by the menu', async () => {
      const page = await open(companyFlow(130), { colorScheme: 'dark' });
      await page.evaluate(() => {
        globalThis.print = () => {};
      });
      await page.getByRole('button', { name: 'Save or print' }).click();
      await page.getByRole('button', { name: 'Print the graph' }).click();
      const pages = page.locator('.print-pages section');
      await expect.poll(() => pages.count()).toBeGreaterThan(5);
      const count = await pages.count();
      expect(await pages.first().isVisible()).toBe(false);
      await page.emulateMedia({ media: 'print' });
      expect(await pages.first().isVisible()).toBe(true);
      expect(await page.locator('.canvas').isVisible()).toBe(false);
      const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
      expect(pdf.match(/\/Type \/Page\b/g)).toHaveLength(count);
      expect(pdf).toMatch(/\/MediaBox \[0 0 84[12]\S* 59[45]/);
      await page.emulateMedia({ media: 'screen' });
      await page.evaluate(() => dispatchEvent(new Event('afterprint')));
      expect(await pages.count()).toBe(0);
    });

    it('is an outline first on a phone, in which everything can be done by keys', async () => {
      const page = await open(order, { viewport: { width: 390, height: 800 } });
      const tree = page.getByRole('tree');
      expect(await tree.getByRole('treeitem').first().textContent()).toContain('ask_order');
      await press(page, 'Tab ArrowDown Enter');
      await tree.locator('[aria-level="1"]:focus', { hasText: 'look_up' }).waitFor();
      expect(await selected(page)).toBe('look_up');
      await press(page, 'ArrowDown ArrowDown e');
      await page.locator('select:focus').waitFor();
      await page.getByLabel('look_up: not_found leads to').selectOption('goodbye');
      await press(page, 'Tab Enter');
      await expect.poll(() => callsOf(page)).toEqual([['onRetarget', 'look_up', 'not_found', 'goodbye']]);
      await press(page, 'r x o');
      await expect.poll(() => page.getByRole('application').count()).toBe(1);
      expect((await callsOf(page)).slice(1)).toEqual([
        ['onRename', 'look_up'],
        ['onDelete', ['look_up']],
      ]);
    });

    it.each([
      ['the picture', order, {}],
      ['a big flow from afar', companyFlow(130), {}],
      ['the outline', order, { viewport: { width: 390, height: 800 } }],
    ])('has nothing that axe complains of, light and dark: %s', async (_, flow, options) => {
      const page = await open(flow, options);
      await page.evaluate(
        (walked) => {
          studio.selected.value = 'look_up';
          studio.overlays.value = {
            coverage: { steps: new Map([['ask_order', 1]]), exits: new Map(walked) },
            problems: new Map([['by_state', { severity: 'warning', message: 'there is no step' }]]),
          };
        },
        [['ask_order collected', 1]] as [string, number][],
      );
      expect(await accessibilityProblems(page)).toEqual([]);
    });
  },
);
