package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
)

// browser is the platform of a program that runs in a page.
var browser = platform{"js", "wasm"}

// pageName is the name of the archive with the page.
const pageName = "whatif-page.zip"

// page makes the page that runs kubectl-whatif in a browser, if it is among the parts.
func (b *builder) page(ctx context.Context) error {
	p := part{named("kubectl-whatif"), browser}
	if !slices.Contains(b.parts, p) {
		return nil
	}

	program, err := b.build(ctx, p)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	info, err := b.check(p, text)
	if err != nil {
		return err
	}

	files, err := b.pageFiles(ctx, p, program)
	if err != nil {
		return err
	}
	documents, err := b.legal(ctx, p.program)
	if err != nil {
		return err
	}
	for name, text := range documents {
		files["whatif-page/"+name] = packed{text, 0o644}
	}

	archive, err := pack(pageName, files, b.source.time)
	if err != nil {
		return err
	}
	fmt.Fprintln(b.log, pageName)
	if err := b.write(pageName, archive); err != nil {
		return err
	}
	return b.writeBill(pageName, []billed{{p, text, info}})
}

// pageFiles lets the program's own command make the page, and returns its files by their names in the archive.
func (b *builder) pageFiles(ctx context.Context, p part, program string) (map[string]packed, error) {
	dir := filepath.Join(b.work, "page")
	cmd := exec.CommandContext(ctx, "go", "run", "-trimpath", "-buildvcs=false", "./browser", "-program", program, "-version", b.source.version, "-out", dir)
	cmd.Dir, cmd.Env = b.source.path(p.program.module), b.environment(platform{runtime.GOOS, runtime.GOARCH})
	if said, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("the page: %w\n%s", err, said)
	}

	files := map[string]packed{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		files["whatif-page/"+e.Name()] = packed{text, 0o644}
	}
	return files, nil
}

// record returns what the compiler would record in a program. It comes from the go command's list of packages,
// because the record in a program for a browser cannot be read.
func (b *builder) record(p part) (*buildinfo.BuildInfo, error) {
	list := exec.Command("go", "list", "-deps", "-tags="+p.program.tags, "-json=Module", p.program.pkg)
	list.Dir, list.Env = b.source.path(p.program.module), b.environment(p.at)
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	version, err := exec.Command("go", "env", "GOVERSION").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	info := &buildinfo.BuildInfo{GoVersion: strings.TrimSpace(string(version))}

	// The list has a package in each value, and a module once for each of its packages.
	modules := map[string]*debug.Module{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var of struct {
			Module *struct {
				Path, Version, Sum string
				Main               bool
				Replace            *debug.Module
			}
		}
		if err := d.Decode(&of); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		switch m := of.Module; {
		case m == nil: // a package of the standard library
		case m.Main:
			info.Main.Path = m.Path
		default:
			modules[m.Path] = &debug.Module{Path: m.Path, Version: m.Version, Sum: m.Sum, Replace: m.Replace}
		}
	}

	for _, path := range sortedKeys(modules) {
		info.Deps = append(info.Deps, modules[path])
	}
	return info, nil
}
