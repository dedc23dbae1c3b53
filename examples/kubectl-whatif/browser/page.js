"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const given = new Map(); // the files by name; the sample's are there from the beginning
  for (const [name, text] of Object.entries(whatif.files)) given.set(name, new Blob([text]));

  // The program is unpacked and compiled once, while the page is read.
  const program = (async () => {
    const packed = Uint8Array.from(atob(whatif.program), (c) => c.charCodeAt(0));
    whatif.program = "";
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return WebAssembly.compile(await new Response(stream).arrayBuffer());
  })();
  const source = URL.createObjectURL(
    new Blob([`const executor = ${whatif.executor};\n(${worker})();`], { type: "text/javascript" }),
  );
  let running = null;

  // ask runs the program with arguments, in a thread that ends with its answer.
  async function ask(args) {
    const module = await program;
    stop();
    const thread = new Worker(source);
    try {
      return await new Promise((resolve, reject) => {
        running = { thread, reject };
        thread.onmessage = (e) => resolve(e.data);
        thread.onerror = (e) => reject(new Error(e.message));
        thread.postMessage({ program: module, args, files: given });
      });
    } finally {
      thread.terminate();
      if (running?.thread === thread) running = null;
    }
  }

  // stop ends what is running; its asker is told.
  function stop() {
    if (!running) return;
    running.thread.terminate();
    running.reject(new Error("stopped"));
    running = null;
  }

  // split takes a command line apart as a shell does: blanks, quotes and backslashes. What goes to a
  // file, and the name of the program, are left out.
  function split(line) {
    const args = [];
    let word = null, quote = "";
    for (let i = 0; i < line.length; i++) {
      const c = line[i];
      if (quote) {
        if (c === quote) quote = "";
        else if (c === "\\" && quote === '"' && /["\\$`]/.test(line[i + 1] ?? "")) word += line[++i];
        else word += c;
      } else if (c === "'" || c === '"') {
        quote = c;
        word ??= "";
      } else if (c === "\\" && i + 1 < line.length) word = (word ?? "") + line[++i];
      else if (/\s/.test(c)) {
        if (word !== null) args.push(word);
        word = null;
      } else if (word === null && (c === ">" || c === "#" || c === "|")) break;
      else word = (word ?? "") + c;
    }
    if (word !== null) args.push(word);
    if (args[0] === "kubectl") args.shift();
    if (args[0] === "whatif" || args[0] === "kubectl-whatif") args.shift();
    return args;
  }

  // has reports whether a flag is among arguments.
  const has = (args, ...flags) => args.some((a) => flags.some((f) => a === f || a.startsWith(f + "=")));

  // complete adds what the page has been told beside the line: its files, and the form.
  function complete(args) {
    const dumps = [...$("dump").files].map((f) => f.name), manifests = [...$("manifests").files].map((f) => f.name);
    if (dumps.length && !has(args, "--cluster", "-cluster", "--sample", "-sample")) args = [...args, ...dumps.map((name) => "--cluster=" + name)];
    if (manifests.length && !has(args, "-f", "--filename", "--pod")) args = [...args, ...manifests.map((name) => "--filename=" + name)];
    if (!has(args, "-o", "--output", "-output") && $("form").value !== "text") args = [...args, "--output=" + $("form").value];
    return args;
  }

  let shown = 0;
  async function show() {
    const turn = ++shown, args = complete(split($("line").value));
    document.body.dataset.state = "busy";
    $("state").textContent = "…";
    let answer;
    try {
      answer = await ask(args);
    } catch (e) {
      answer = { status: 2, stdout: "", stderr: e.message + "\n" };
    }
    if (turn !== shown) return; // a later question was asked
    const page = /^<!doctype html/i.test(answer.stdout);
    $("text").textContent = page ? "" : answer.stdout;
    $("notes").textContent = answer.stderr;
    $("frame").hidden = !page;
    if (page) {
      const drawn = new Promise((resolve) => $("frame").addEventListener("load", resolve, { once: true }));
      $("frame").srcdoc = answer.stdout;
      await drawn;
      if (turn !== shown) return;
    } else $("frame").removeAttribute("srcdoc");
    $("state").textContent = "exit status " + answer.status;
    if ($("save").href) URL.revokeObjectURL($("save").href);
    $("save").href = URL.createObjectURL(new Blob([answer.stdout], { type: page ? "text/html" : "text/plain" }));
    $("save").download = page ? "whatif.html" : "whatif.txt";
    $("save").hidden = !answer.stdout;
    document.body.dataset.state = "done";
  }

  $("question").addEventListener("submit", (e) => {
    e.preventDefault();
    show();
  });
  $("stop").addEventListener("click", stop);
  $("form").addEventListener("change", show);
  for (const id of ["dump", "manifests"]) {
    $(id).addEventListener("change", () => {
      for (const f of $(id).files) given.set(f.name, f);
    });
  }
  for (const a of document.querySelectorAll("[data-line]")) {
    a.addEventListener("click", () => {
      $("line").value = a.dataset.line;
      show();
    });
  }
  // A link can ask a question: index.html#--pending shop/checkout-2
  function linked() {
    const line = decodeURIComponent(location.hash.slice(1));
    if (line) $("line").value = "kubectl whatif " + line;
    if (line) show();
  }
  addEventListener("hashchange", linked);
  whatif.ask = (line) => ask(split(line));
  whatif.give = (name, text) => given.set(name, new Blob([text]));
  program.then(
    () => {
      document.body.dataset.state = "ready";
      $("state").textContent = "";
      linked();
    },
    (e) => ($("state").textContent = "This browser cannot run the program: " + e.message),
  );
})();
