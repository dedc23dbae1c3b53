package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/outrank-go/outrank/.ci/dist/licence"
)

// modules returns the modules of others that a program contains on any of its platforms, by path.
func (b *builder) modules(p *program) (map[string]contained, error) {
	if known, ok := b.licences[p.name]; ok {
		return known, nil
	}

	var systems []string // the platforms of a system are next to each other
	for _, at := range p.platforms {
		if len(systems) == 0 || systems[len(systems)-1] != at.system {
			systems = append(systems, at.system)
		}
	}
	list, err := licence.Contained(licence.Programs{Dir: b.source.path(p.module), Packages: []string{p.pkg}, Tags: p.tags}, systems)
	if err != nil {
		return nil, err
	}

	all := map[string]contained{}
	var wrong []error
	for _, m := range list {
		ids, err := licence.Of(m)
		wrong = append(wrong, err)
		all[m.Path] = contained{m, ids}
	}
	b.licences[p.name] = all
	return all, errors.Join(wrong...)
}

// thirdParty returns the text of all licences and notices of the modules in a program, and in the programs beside
// it. A text that several modules share is there once.
func (b *builder) thirdParty(ctx context.Context, p *program) ([]byte, error) {
	modules := map[string]licence.Module{}
	for _, name := range append([]string{p.name}, p.beside...) {
		all, err := b.modules(named(name))
		if err != nil {
			return nil, err
		}
		for path, m := range all {
			folders := append(modules[path].Folders, m.Folders...)
			modules[path] = licence.Module{Path: path, Dir: m.Dir, Folders: folders}
		}
	}

	texts := newTexts()
	for _, path := range sortedKeys(modules) {
		files, err := licence.Texts(modules[path])
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			texts.add(path+" "+f.Name, f.Body)
		}
	}

	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	standard, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "LICENSE"))
	if err != nil {
		return nil, fmt.Errorf("the licence of Go: %w", err)
	}
	texts.add("Go's standard library LICENSE", standard)
	return texts.write(p.name), nil
}

// texts collects different texts with their origins, in the order in which they came.
type texts struct {
	order   []string
	origins map[string][]string // by text
}

func newTexts() *texts { return &texts{origins: map[string][]string{}} }

func (t *texts) add(origin string, body []byte) {
	text := strings.TrimSpace(strings.ReplaceAll(string(body), "\r\n", "\n"))
	if t.origins[text] == nil {
		t.order = append(t.order, text)
	}
	t.origins[text] = append(t.origins[text], origin)
}

func (t *texts) write(program string) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "Licences and notices of what %s contains, besides Outrank itself, which is under LICENSE.\n", program)
	for _, text := range t.order {
		fmt.Fprintf(&out, "\n%s\n\n%s\n\n%s\n", strings.Repeat("=", 80), strings.Join(t.origins[text], "\n"), text)
	}
	return out.Bytes()
}
