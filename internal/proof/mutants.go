package proof

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/outrank-go/outrank/internal/proof/dafny"
)

//go:embed mutants.txt
var mutantsText string

// Mutant is an error in the model.
type Mutant struct {
	// What says what is wrong.
	What string
	// File has Was in exactly one place of its definitions, where Is stands instead.
	File, Was, Is string
	// LemmaFile and Lemma name the lemma that does not hold then.
	LemmaFile, Lemma string
}

// Mutants lists the errors of mutants.txt.
func Mutants() ([]Mutant, error) {
	var list []Mutant
	for i, paragraph := range strings.Split(strings.TrimSpace(mutantsText), "\n\n") {
		if strings.HasPrefix(paragraph, "#") {
			continue
		}
		m := Mutant{}
		lemma := ""
		fields := map[string]*string{"error": &m.What, "file": &m.File, "was": &m.Was, "is": &m.Is, "lemma": &lemma}
		for line := range strings.Lines(paragraph) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			if fields[name] == nil {
				return nil, fmt.Errorf("mutants.txt, paragraph %d: %q is no field", i+1, name)
			}
			*fields[name] = value
		}
		m.LemmaFile, m.Lemma, _ = strings.Cut(lemma, " ")
		list = append(list, m)
	}
	return list, nil
}

// Plant returns the files with the error in place of what is right.
func (m Mutant) Plant(files []dafny.File) ([]dafny.File, error) {
	var planted []dafny.File
	found := 0
	for _, f := range files {
		if f.Name == m.File {
			found = strings.Count(f.Text, m.Was)
			f.Text = strings.Replace(f.Text, m.Was, m.Is, 1)
		}
		planted = append(planted, f)
	}

	// What stands there twice would leave the reader in doubt where the error is.
	if found != 1 {
		return nil, fmt.Errorf("%s: %q stands there %d times, and has to once", m.File, m.Was, found)
	}
	return planted, nil
}
