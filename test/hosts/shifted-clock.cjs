// Loaded before everything else in each Node program of a host: its wall clock goes ROUSE_TEST_CLOCK_MS wrong.
const shift = Number(process.env.ROUSE_TEST_CLOCK_MS ?? 0);
const RealDate = Date;
globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + shift);
    else super(...given);
  }

  static now() {
    return RealDate.now() + shift;
  }
};
