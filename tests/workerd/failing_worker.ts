/**
 * A worker that throws where its path says.
 *
 * @module
 */

export default {
  /** Throws in the request itself, in a timer, or in a promise that nobody awaits. */
  async fetch(request: Request): Promise<Response> {
    const where = new URL(request.url).pathname.slice(1);
    const fail = (): never => {
      throw new Error(`Thrown in a ${where}`);
    };
    if (where === "timer") setTimeout(fail, 1);
    else if (where === "promise") void Promise.resolve().then(fail);
    else fail();
    await new Promise((resolve) => setTimeout(resolve, 5));
    return new Response("ok");
  },
};
