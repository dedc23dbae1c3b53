// Package licence answers which modules of others are in a program, and under which licences.
//
// It reads the licence files of each module from the go command's module cache. A module without such a file, or
// with a text that is not known, is an error.
package licence

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

// Module is a module that a program contains.
type Module struct {
	Path, Dir string
	// Folders are the folders of the packages that the program contains, relative to Dir, in order.
	Folders []string
}

// Own is the path with which the paths of this project's modules begin.
const Own = "github.com/outrank-go/outrank"

// Systems are the systems that programs are built for, by GOOS.
var Systems = []string{"linux", "darwin", "windows"}

// Programs are some programs of a module.
type Programs struct {
	// Dir is the folder of the module.
	Dir string
	// Packages are the packages of the programs, like "./cmd/x".
	Packages []string
	// Tags are the build tags, separated by commas.
	Tags string
}

// Contained lists the modules of others whose packages the programs import on any of the
// systems, by path.
func Contained(p Programs, systems []string) ([]Module, error) {
	all := map[string]Module{}
	for _, system := range systems {
		cmd := exec.Command("go", append([]string{"list", "-deps", "-json=Module,Dir", "-tags=" + p.Tags}, p.Packages...)...)
		cmd.Dir, cmd.Stderr, cmd.Env = p.Dir, os.Stderr, append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		if system == "js" {
			cmd.Env = append(cmd.Env, "GOARCH=wasm")
		}
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("go list for %s: %w", system, err)
		}
		if err := addOthers(all, out); err != nil {
			return nil, err
		}
	}

	var list []Module
	for _, m := range all {
		slices.Sort(m.Folders)
		m.Folders = slices.Compact(m.Folders)
		list = append(list, m)
	}
	slices.SortFunc(list, func(a, b Module) int { return strings.Compare(a.Path, b.Path) })
	return list, nil
}

// addOthers adds to all the modules of others in the go command's list of packages, with the folders of the
// packages.
func addOthers(all map[string]Module, packages []byte) error {
	for d := json.NewDecoder(bytes.NewReader(packages)); ; {
		var p struct {
			Dir    string
			Module *struct {
				Path, Dir string
				Replace   *struct{ Dir string }
			}
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if p.Module == nil || p.Module.Path == Own || strings.HasPrefix(p.Module.Path, Own+"/") {
			continue
		}

		// The folders that other packages and systems have added stay.
		m := Module{Path: p.Module.Path, Dir: p.Module.Dir, Folders: all[p.Module.Path].Folders}
		if p.Module.Replace != nil {
			m.Dir = p.Module.Replace.Dir
		}
		folder, err := filepath.Rel(m.Dir, p.Dir)
		if err != nil {
			return err
		}
		m.Folders = append(m.Folders, folder)
		all[m.Path] = m
	}
}

var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|unlicense)([-.].*)?$`)

// sentences has a sentence that is in the text of each licence, by the licence's SPDX name. A text may hold
// several licences.
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

// named returns the licences in a text, by their SPDX names.
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

// Of returns the licences of a module by its own files, each once, by their SPDX names.
func Of(m Module) ([]string, error) {
	files, err := filesIn(m.Dir, ".", licenceFile)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Path, err)
	}
	var ids []string
	for _, f := range files {
		found := named(string(f.Body))
		if len(found) == 0 {
			return nil, fmt.Errorf("%s: %s is no licence that is known", m.Path, f.Name)
		}
		ids = append(ids, found...)
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("%s has no licence file", m.Path)
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// Text is a file that must come with copies of a module.
type Text struct {
	// Name is its path within the module, with slashes.
	Name string
	Body []byte
}

// passedOn matches the names of files that licences demand to be passed on.
var passedOn = regexp.MustCompile(`(?i)^(licen[cs]e|copying|unlicense|notice|patents)([-.].*)?$`)

// Texts returns the licences and notices of a module, and of those of its folders from which the program has
// packages, in the order of their names.
func Texts(m Module) ([]Text, error) {
	folders := map[string]bool{".": true}
	for _, folder := range m.Folders {
		for ; folder != "."; folder = filepath.Dir(folder) {
			folders[folder] = true
		}
	}
	var texts []Text
	for folder := range folders {
		found, err := filesIn(m.Dir, folder, passedOn)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Path, err)
		}
		texts = append(texts, found...)
	}
	slices.SortFunc(texts, func(a, b Text) int { return strings.Compare(a.Name, b.Name) })
	return texts, nil
}

// filesIn reads the files of a folder whose names match, in the order of their names. Source files are left out,
// whatever their names are.
func filesIn(dir, folder string, names *regexp.Regexp) ([]Text, error) {
	entries, err := os.ReadDir(filepath.Join(dir, folder))
	if err != nil {
		return nil, err
	}
	var texts []Text
	for _, e := range entries {
		if e.IsDir() || !names.MatchString(e.Name()) || slices.Contains([]string{".csv", ".go"}, filepath.Ext(e.Name())) {
			continue
		}
		body, err := os.ReadFile(filepath.Join(dir, folder, e.Name()))
		if err != nil {
			return nil, err
		}
		texts = append(texts, Text{filepath.ToSlash(filepath.Join(folder, e.Name())), body})
	}
	return texts, nil
}
