package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// browser is the platform of a program that runs in a page.
var browser = platform{"js", "wasm"}

// pageName is the name of the archive with the page.
const pageName = "whatif-page.zip"

// page makes the page that runs kubectl-whatif in a browser, where that is among the parts.
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
	if _, err := b.check(p, text); err != nil {
		return err
	}
	dir := filepath.Join(b.work, "page")
	cmd := exec.CommandContext(ctx, "go", "run", "./browser", "-program", program, "-version", b.source.version, "-out", dir)
	cmd.Dir, cmd.Env = b.source.path(p.program.module), b.hostEnvironment()
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("the page: %w\n%s", err, said)
	}
	files := map[string]packed{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		files["whatif-page/"+e.Name()] = packed{text, 0o644}
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
	return b.write(pageName, archive)
}

// hostEnvironment is that of the go command for what runs on this machine.
func (b *builder) hostEnvironment() []string {
	env := append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	if b.cache != "" {
		env = append(env, "GOCACHE="+b.cache)
	}
	return env
}
