// worker runs the program once, in a thread of its own. Its message has the compiled program, the
// arguments and the files; what it posts is the exit status with both outputs.
function worker() {
  "use strict";
  const chunk = 1 << 20; // a file is read in pieces of so many bytes
  const fail = (code) => Object.assign(new Error(code), { code });

  // The files that the program sees: those that it was given, and standard input, which is empty.
  function fileSystem(given, outputs) {
    const open = new Map();
    let next = 3;
    const plain = (path) => path.replace(/^(\.?\/)+/, "");
    const folder = (path) => [...given.keys()].some((name) => name.startsWith(plain(path) + "/"));
    const stat = (size, mode) => ({
      size, mode, dev: 0, ino: 0, nlink: 1, uid: 0, gid: 0, rdev: 0, blksize: 4096, blocks: Math.ceil(size / 512) % 2 ** 31,
      atimeMs: 0, mtimeMs: 0, ctimeMs: 0, isDirectory: () => mode === 0o40555,
    });
    const statOf = (path) => {
      const file = given.get(plain(path));
      if (file) return stat(file.size, 0o100444);
      if (folder(path)) return stat(0, 0o40555);
      throw fail("ENOENT");
    };
    const answer = (callback, make) => {
      let value;
      try {
        value = make();
      } catch (e) {
        callback(e.code ? e : fail("EIO"));
        return;
      }
      callback(null, value);
    };
    const refused = (...args) => args.at(-1)(fail("EROFS"));
    const fs = {
      constants: { O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_TRUNC: 512, O_APPEND: 1024, O_EXCL: 128, O_DIRECTORY: 65536 },
      writeSync(fd, buffer) {
        outputs[fd].push(buffer.slice());
        return buffer.length;
      },
      write(fd, buffer, offset, length, position, callback) {
        answer(callback, () => fs.writeSync(fd, buffer.subarray(offset, offset + length)));
      },
      stat: (path, callback) => answer(callback, () => statOf(path)),
      lstat: (path, callback) => answer(callback, () => statOf(path)),
      fstat: (fd, callback) => answer(callback, () => (open.has(fd) ? statOf(open.get(fd).path) : stat(0, 0o10666))),
      open: (path, flags, mode, callback) =>
        answer(callback, () => {
          if (flags & 3) throw fail("EROFS");
          statOf(path);
          open.set(next, { path, at: 0, from: 0, piece: new Uint8Array(0) });
          return next++;
        }),
      close: (fd, callback) => answer(callback, () => void open.delete(fd)),
      read: (fd, buffer, offset, length, position, callback) =>
        answer(callback, () => {
          const f = open.get(fd);
          if (!f) return 0; // standard input
          const file = given.get(plain(f.path));
          if (!file) throw fail("EISDIR");
          const at = position ?? f.at;
          if (at < f.from || at >= f.from + f.piece.length) {
            f.from = at;
            f.piece = new Uint8Array(new FileReaderSync().readAsArrayBuffer(file.slice(at, at + chunk)));
          }
          const part = f.piece.subarray(at - f.from, at - f.from + length);
          buffer.set(part, offset);
          if (position === null) f.at += part.length;
          return part.length;
        }),
      readdir: (path, callback) =>
        answer(callback, () => {
          const inside = [...given.keys()].filter((name) => name.startsWith(plain(path) + "/"));
          return [...new Set(inside.map((name) => name.slice(plain(path).length + 1).split("/")[0]))].sort();
        }),
      fsync: (fd, callback) => callback(null),
      readlink: (path, callback) => callback(fail("EINVAL")),
    };
    for (const name of ["chmod", "chown", "fchmod", "fchown", "ftruncate", "lchown", "link", "mkdir", "rename", "rmdir", "symlink", "truncate", "unlink", "utimes"]) {
      fs[name] = refused;
    }
    return fs;
  }

  onmessage = async ({ data: { program, args, files } }) => {
    const outputs = { 1: [], 2: [] };
    globalThis.fs = fileSystem(files, outputs);
    executor(); // defines Go, above the files
    const go = new Go();
    let status = 0;
    go.argv = ["kubectl-whatif", ...args];
    // One thread does everything: rare collections save most of their time, up to the memory that there is.
    go.env = { GOGC: "400", GOMEMLIMIT: "3GiB" };
    go.exit = (code) => {
      status = code;
      for (const id of go._scheduledTimeouts.values()) clearTimeout(id); // which would wake a program that has ended
    };
    try {
      await go.run(await WebAssembly.instantiate(program, go.importObject));
    } catch (e) {
      status = 2;
      outputs[2].push(new TextEncoder().encode(`whatif: the browser ended the program: ${e.message}; a cluster as large as this one needs the program itself\n`));
    }
    const text = (parts) => new Blob(parts).text();
    postMessage({ status, stdout: await text(outputs[1]), stderr: await text(outputs[2]) });
  };
}
