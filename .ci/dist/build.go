package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/outrank-go/outrank/.ci/dist/licence"
)

// part is a program for a platform.
type part struct {
	program *program
	at      platform
}

// title returns the beginning of the names of the part's files.
func (p part) title() string { return p.program.name + "_" + p.at.system + "_" + p.at.machine }

// archive returns the name of the part's archive.
func (p part) archive() string {
	if p.at.system == "windows" {
		return p.title() + ".zip"
	}
	return p.title() + ".tar.gz"
}

// builder makes the parts of a release.
type builder struct {
	source *source
	parts  []part
	// out is the folder for the files. It is made anew.
	out string
	log io.Writer
	// cache is the folder of the build cache; empty means the user's.
	cache string

	// work is a temporary folder for the programs.
	work string
	// licences has the modules of others in each program, by the program's name and the module's path.
	licences map[string]map[string]contained
}

// contained is a module of others with its licences, by their SPDX names.
type contained struct {
	licence.Module
	ids []string
}

// make makes all files of the release.
func (b *builder) make(ctx context.Context) (err error) {
	if b.work, err = os.MkdirTemp("", "dist"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.work)) }()
	if err := fresh(b.out); err != nil {
		return err
	}

	// The parts of a platform come one after the other, because the cache is emptied between platforms. The
	// documents of a program are the same on all of them.
	b.licences = map[string]map[string]contained{}
	documents := map[string]map[string][]byte{}
	parts := slices.SortedStableFunc(slices.Values(b.parts), func(p, q part) int { return p.at.compare(q.at) })
	for i, p := range parts {
		if i > 0 && p.at != parts[i-1].at {
			if err := b.forget(); err != nil {
				return err
			}
		}
		if p.at == browser {
			continue // page makes its archive
		}

		if _, ok := documents[p.program.name]; !ok {
			if documents[p.program.name], err = b.documents(ctx, p.program); err != nil {
				return err
			}
		}
		if err := b.part(ctx, p, documents[p.program.name]); err != nil {
			return fmt.Errorf("%s for %s: %w", p.program.name, p.at, err)
		}
		fmt.Fprintln(b.log, p.archive())
	}

	if err := b.page(ctx); err != nil {
		return err
	}
	if err := b.krew(); err != nil {
		return err
	}
	return b.sums()
}

// forget empties a build cache that is not the user's. What one platform leaves in it is of no use to another,
// and all platforms together would fill a disk.
func (b *builder) forget() error {
	if b.cache == "" {
		return nil
	}
	return os.RemoveAll(b.cache)
}

// mark is a file in every folder that this program has made. It removes no folder without it.
const mark = "SHA256SUMS"

// fresh makes an empty folder in place of an earlier one.
func fresh(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	if len(entries) > 0 && !slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == mark }) {
		return fmt.Errorf("%s is not empty and has no %s, so that it is not one that was made here; remove it first", dir, mark)
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, mark), nil, 0o644) // so that a folder of an interrupted run can be made anew
}

// documents returns the files that are in an archive beside its programs.
func (b *builder) documents(ctx context.Context, p *program) (map[string][]byte, error) {
	files := map[string][]byte{}
	if p.documents != nil {
		host, err := b.build(ctx, part{p, platform{runtime.GOOS, runtime.GOARCH}})
		if err != nil {
			return nil, err
		}
		if files, err = p.documents(ctx, host); err != nil {
			return nil, err
		}
	}
	legal, err := b.legal(ctx, p)
	maps.Copy(files, legal)
	return files, err
}

// legal returns the files with the licences of a program.
func (b *builder) legal(ctx context.Context, p *program) (map[string][]byte, error) {
	own, err := os.ReadFile(b.source.path("LICENSE"))
	if err != nil {
		return nil, err
	}
	others, err := b.thirdParty(ctx, p)
	return map[string][]byte{"LICENSE": own, "THIRD-PARTY-LICENCES.txt": others}, err
}

// part makes the archive of a program for a platform, and its bill. Some programs have others beside them in the
// archive.
func (b *builder) part(ctx context.Context, p part, documents map[string][]byte) error {
	files := map[string]packed{}
	for name, text := range documents {
		files[name] = packed{text, 0o644}
	}

	var bills []billed
	for _, name := range append([]string{p.program.name}, p.program.beside...) {
		one := part{named(name), p.at}
		path, err := b.build(ctx, one)
		if err != nil {
			return err
		}
		program, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := b.check(one, program)
		if err != nil {
			return err
		}
		if _, err := b.modules(one.program); err != nil { // a licence that is not known ends the build here
			return err
		}
		files[name+p.at.suffix()] = packed{program, 0o755}
		bills = append(bills, billed{one, program, info})
	}

	archive, err := pack(p.archive(), files, b.source.time)
	if err != nil {
		return err
	}
	if err := b.write(p.archive(), archive); err != nil {
		return err
	}
	return b.writeBill(p.archive(), bills)
}

// stamped is the package whose variables hold the version of a program.
const stamped = licence.Own + "/examples/internal/stamp."

// build returns the file of a program for a platform, which it builds at the first call.
func (b *builder) build(ctx context.Context, p part) (string, error) {
	path := filepath.Join(b.work, p.title()+p.at.suffix())
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	variables := []string{stamped + "version=" + b.source.version, stamped + "revision=" + b.source.revision}
	if p.program.variables != nil {
		more, err := p.program.variables(ctx, b.source, p.program)
		if err != nil {
			return "", err
		}
		variables = append(variables, more...)
	}

	flags := "-s -w"
	for _, v := range variables {
		flags += " -X " + v
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-tags="+p.program.tags, "-ldflags="+flags, "-o", path, p.program.pkg)
	cmd.Dir = b.source.path(p.program.module)
	cmd.Env = b.environment(p.at)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, said.Bytes())
	}
	return path, nil
}

// environment returns the environment of the go command for a platform. Every setting of the machine that could
// change what is built is set.
func (b *builder) environment(at platform) []string {
	env := append(os.Environ(), "GOOS="+at.system, "GOARCH="+at.machine, "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off",
		"GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=", "GOFIPS140=off", "GODEBUG=")
	if b.cache != "" {
		env = append(env, "GOCACHE="+b.cache)
	}
	return env
}

// check reads what the compiler has recorded in a program. The program must hold its version, must not name the
// folder that it was built in, and must be built with the right settings.
func (b *builder) check(p part, program []byte) (*buildinfo.BuildInfo, error) {
	version := b.source.version
	if p.program.variables != nil {
		version = b.source.behindPlus()
	}
	if !bytes.Contains(program, []byte(version)) {
		return nil, fmt.Errorf("it does not hold its version, %s", version)
	}
	if bytes.Contains(program, []byte(b.source.root+string(filepath.Separator))) {
		return nil, fmt.Errorf("it holds the name of the folder that it was built in, %s", b.source.root)
	}

	if p.at == browser { // the compiler's record cannot be read in such a program
		return b.record(p)
	}
	info, err := buildinfo.Read(bytes.NewReader(program))
	if err != nil {
		return nil, err
	}

	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	for key, want := range map[string]string{"GOOS": p.at.system, "GOARCH": p.at.machine, "CGO_ENABLED": "0", "-trimpath": "true"} {
		if settings[key] != want {
			return nil, fmt.Errorf("built with %s=%s, not %s", key, settings[key], want)
		}
	}
	return info, nil
}

// writeBill writes the bill of materials of an archive.
func (b *builder) writeBill(archive string, programs []billed) error {
	bill, err := b.bill(archive, programs)
	if err != nil {
		return err
	}
	return b.write(billOf(archive), bill)
}

// write writes a file of the release.
func (b *builder) write(name string, text []byte) error {
	return os.WriteFile(filepath.Join(b.out, name), text, 0o644)
}

// sums writes the checksums of all files of the release, by name.
func (b *builder) sums() error {
	entries, err := os.ReadDir(b.out)
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, e := range entries {
		if e.Name() == mark {
			continue
		}
		body, err := os.ReadFile(filepath.Join(b.out, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "%s  %s\n", checksum(body), e.Name())
	}
	return b.write(mark, []byte(text.String()))
}

// checksum returns the SHA-256 of a text in hexadecimal digits.
func checksum(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
