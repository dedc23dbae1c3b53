package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// section is one step of a recipe: a new file, or lines that come behind a line of a file that is there.
type section struct {
	file  string
	after string // empty for a new file
	text  string
}

// readRecipe reads a recipe. A line that begins with "== " begins a section. It has the name of a file
// and, for lines that are inserted, "after" and the line that they follow, which the file has once.
func readRecipe(name string) (sections []section, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		head, isHead := strings.CutPrefix(line, "== ")
		switch {
		case isHead:
			file, after, _ := strings.Cut(strings.TrimSpace(head), " after ")
			sections = append(sections, section{file: file, after: after})
		case len(sections) == 0:
			return nil, fmt.Errorf("%s: begins with no section", name)
		default:
			sections[len(sections)-1].text += line
		}
	}
	return sections, nil
}

// sources are files as a recipe leaves them, by their places in the module.
type sources map[string]string

// follow applies the sections of a recipe.
func (s sources) follow(root string, sections []section) error {
	for _, x := range sections {
		if x.after == "" {
			s[x.file] = x.text
			continue
		}
		text, err := s.read(root, x.file)
		if err != nil {
			return err
		}
		lines := strings.SplitAfter(text, "\n")
		at := -1
		for i, line := range lines {
			if strings.TrimSpace(line) == x.after {
				if at >= 0 {
					return fmt.Errorf("%s has the line %q twice", x.file, x.after)
				}
				at = i
			}
		}
		if at < 0 {
			return fmt.Errorf("%s has no line %q", x.file, x.after)
		}
		s[x.file] = strings.Join(lines[:at+1], "") + x.text + strings.Join(lines[at+1:], "")
	}
	return nil
}

// read returns a file as it is by now.
func (s sources) read(root, file string) (string, error) {
	if text, ok := s[file]; ok {
		return text, nil
	}
	text, err := os.ReadFile(filepath.Join(root, file))
	return string(text), err
}

// plant puts a fault in the place of the plain text, which the file has once.
func (s sources) plant(f fault) error {
	if n := strings.Count(s[f.file], f.plain); n != 1 {
		return fmt.Errorf("%s has %q %d times", f.file, f.plain, n)
	}
	s[f.file] = strings.Replace(s[f.file], f.plain, f.planted, 1)
	return nil
}

// overlay writes the files to a folder, and what tells the go command to take them.
func (s sources) overlay(root, dir string) (name string, err error) {
	replace := map[string]string{}
	for file, text := range s {
		to := filepath.Join(dir, strconv.Itoa(len(replace))+".go")
		replace[filepath.Join(root, file)] = to
		if err := os.WriteFile(to, []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	name = filepath.Join(dir, "overlay.json")
	return name, os.WriteFile(name, text, 0o600)
}
