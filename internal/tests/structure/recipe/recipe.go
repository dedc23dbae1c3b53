package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// section is one step of a recipe: a new file, or lines that are inserted into an existing one.
type section struct {
	file string
	// after is the line behind which the text is inserted; it is empty for a new file.
	after string
	text  string
}

// readRecipe reads a recipe. A line that begins with "== " starts a section and names its file. For lines to
// be inserted, " after " and a line that occurs once in the file follow the name.
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

// sources has the content of files after a recipe was followed, by their paths in the module.
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

		// The line has to be there exactly once, or the place would be unclear.
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

// read returns a file as the recipe has left it so far.
func (s sources) read(root, file string) (string, error) {
	if text, ok := s[file]; ok {
		return text, nil
	}
	text, err := os.ReadFile(filepath.Join(root, file))
	return string(text), err
}

// plant replaces the plain text of a fault, which must occur exactly once, by the planted one.
func (s sources) plant(f fault) error {
	if n := strings.Count(s[f.file], f.plain); n != 1 {
		return fmt.Errorf("%s has %q %d times", f.file, f.plain, n)
	}
	s[f.file] = strings.Replace(s[f.file], f.plain, f.planted, 1)
	return nil
}

// overlay writes the files to a folder, and the overlay file that makes the go command use them. It returns
// the name of the overlay file.
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
