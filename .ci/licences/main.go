// Command licences prints which modules are in the programs of a module, and under which
// licences, as a table in Markdown.
//
//	go run -C .ci/licences . DIR PACKAGE...
//
// DIR is the folder of the module, and the packages are those of its programs, "./cmd/x". It
// reads the licence files of each module where the go command keeps them. A module without
// one, or with a text that is not known, is an error.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: licences DIR PACKAGE...")
		os.Exit(2)
	}
	if err := table(os.Stdout, os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "licences:", err)
		os.Exit(1)
	}
}

// module is one that a program contains.
type module struct{ Path, Dir string }

func table(w io.Writer, dir string, packages []string) error {
	modules, err := contained(dir, packages)
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "# Licences of what the programs contain")
	fmt.Fprintln(w)
	fmt.Fprintln(w, "Besides this project and Go's standard library (BSD-3-Clause), the programs built here contain these modules, by the")
	fmt.Fprintln(w, "licence files that each of them has. `.ci/run licences` compares this table with what is built.")
	fmt.Fprintln(w)
	fmt.Fprintln(w, "| module | licences |")
	fmt.Fprintln(w, "|---|---|")
	var wrong []error
	for _, m := range modules {
		ids, err := licences(m)
		wrong = append(wrong, err)
		fmt.Fprintf(w, "| %s | %s |\n", m.Path, strings.Join(ids, ", "))
	}
	return errors.Join(wrong...)
}

// own is the path that the modules of this project begin with.
const own = "github.com/outrank-go/outrank"

// systems are those that the programs are built for.
var systems = []string{"linux", "darwin", "windows"}

// contained lists the modules of others whose packages the programs import on any of the
// systems, by path.
func contained(dir string, packages []string) ([]module, error) {
	var all []module
	for _, system := range systems {
		cmd := exec.Command("go", append([]string{"list", "-deps", "-json=Module"}, packages...)...)
		cmd.Dir, cmd.Stderr, cmd.Env = dir, os.Stderr, append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("go list for %s: %w", system, err)
		}
		if all, err = appendOthers(all, out); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(all, func(a, b module) int { return strings.Compare(a.Path, b.Path) })
	return slices.Compact(all), nil
}

// appendOthers appends the modules of others in a list of packages.
func appendOthers(all []module, packages []byte) ([]module, error) {
	for d := json.NewDecoder(bytes.NewReader(packages)); ; {
		var p struct {
			Module *struct {
				module
				Replace *module
			}
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		if p.Module == nil || p.Module.Path == own || strings.HasPrefix(p.Module.Path, own+"/") {
			continue
		}
		m := p.Module.module
		if p.Module.Replace != nil {
			m.Dir = p.Module.Replace.Dir
		}
		all = append(all, m)
	}
}

var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|unlicense)([-.].*)?$`)

// sentences tell licences apart, by their SPDX names; a text may hold several.
var sentences = []struct{ id, says string }{
	{"Apache-2.0", "apache license version 2.0"},
	{"MIT", "permission is hereby granted, free of charge, to any person obtaining a copy"},
	{"MPL-2.0", "mozilla public license version 2.0"},
	{"ISC", "permission to use, copy, modify, and/or distribute this software for any purpose"},
	{"ISC", "permission to use, copy, modify, and distribute this software for any purpose"},
	{"CC0-1.0", "cc0 1.0 universal"},
	{"CC-BY-SA-4.0", "attribution-sharealike 4.0 international"},
}

// The two licences of BSD that are in use differ by one clause.
const (
	bsd         = "redistribution and use in source and binary forms"
	thirdClause = "may be used to endorse or promote products"
)

// named lists the licences that a text is, by their SPDX names.
func named(text string) []string {
	text = strings.NewReplacer("(the \"license\")", "", ", version", " version").Replace(strings.ToLower(text))
	text = strings.Join(strings.Fields(text), " ")
	var ids []string
	for _, s := range sentences {
		if strings.Contains(text, s.says) {
			ids = append(ids, s.id)
		}
	}
	if strings.Contains(text, bsd) {
		if strings.Contains(text, thirdClause) {
			return append(ids, "BSD-3-Clause")
		}
		ids = append(ids, "BSD-2-Clause")
	}
	return ids
}

// licences are those of a module's files, each once, by their SPDX names.
func licences(m module) ([]string, error) {
	entries, err := os.ReadDir(m.Dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Path, err)
	}
	var ids []string
	for _, e := range entries {
		if e.IsDir() || !licenceFile.MatchString(e.Name()) || filepath.Ext(e.Name()) == ".csv" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(m.Dir, e.Name()))
		if err != nil {
			return nil, err
		}
		found := named(string(text))
		if len(found) == 0 {
			return nil, fmt.Errorf("%s: %s is no licence that is known", m.Path, e.Name())
		}
		ids = append(ids, found...)
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("%s has no licence file", m.Path)
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}
