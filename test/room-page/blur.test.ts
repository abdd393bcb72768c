/** Blurred background of a camera, by the constraint of the browser. */
import { describe, expect, it } from 'vitest';
import { isBlurred, mayBlur, setBlur } from '../../client/devices.js';

function cameraWith(backgroundBlur?: boolean[]) {
  const wishes: object[] = [];
  const track = {
    getCapabilities: () => ({ ...(backgroundBlur ? { backgroundBlur } : {}) }),
    getConstraints: () => ({ width: { ideal: 1280 } }),
    getSettings: () => Object.assign({}, ...wishes) as object,
    async applyConstraints(wish: object) {
      wishes.push(wish);
    },
  };
  return { track: track as never, wishes };
}

describe('the blur of a camera', () => {
  it.each([
    ['a camera without blur', undefined, false],
    ['a camera that always blurs, as the system decides', [true], false],
    ['a camera that leaves it to the page', [false, true], true],
  ])('is offered or not by %s', (_, capability, isOffered) => {
    expect(mayBlur(cameraWith(capability).track)).toBe(isOffered);
  });

  it('is not offered in browsers without capabilities of tracks', () => {
    expect(mayBlur({} as never)).toBe(false);
  });

  it('is set beside the other constraints of the camera, such as its size', async () => {
    const { track, wishes } = cameraWith([false, true]);
    expect(isBlurred(track)).toBe(false);
    await setBlur(track, true);
    expect([wishes, isBlurred(track)]).toEqual([[{ width: { ideal: 1280 }, backgroundBlur: true }], true]);
  });
});
