package proof

import (
	"embed"
	"io/fs"

	"github.com/outrank-go/outrank/internal/proof/dafny"
)

//go:embed *.dfy
var texts embed.FS

// Files returns the files of the model, in alphabetical order.
func Files() ([]dafny.File, error) {
	names, err := fs.Glob(texts, "*.dfy")
	if err != nil {
		return nil, err
	}

	var files []dafny.File
	for _, name := range names {
		text, err := texts.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files = append(files, dafny.File{Name: name, Text: string(text)})
	}
	return files, nil
}

// Model carries out the definitions of the .dfy files. Calls may run at once.
type Model struct{ program *dafny.Program }

// NewModel reads the files of a model.
func NewModel(files ...dafny.File) (*Model, error) {
	program, err := dafny.Read(files...)
	return &Model{program}, err
}

// Decide returns what the model decides about a case: decide, explain and scoreOf.
func (m *Model) Decide(c Case) (Decision, error) {
	attempt, err := m.attemptOf(c)
	if err != nil {
		return Decision{}, err
	}
	plan, err := m.program.Call("decide", attempt)
	if err != nil {
		return Decision{}, err
	}
	candidates, err := m.program.Call("explain", attempt)
	if err != nil {
		return Decision{}, err
	}

	d := Decision{Node: -1}
	p := planOf{}
	if err := read(plan, &p); err != nil {
		return d, err
	}
	d.Outcome, d.Ineligible, d.Before = p.Outcome, p.Ineligible, p.Before
	if len(p.Chosen) > 0 {
		d.Node = p.Chosen[0].Position
	}
	for _, value := range candidates.(dafny.Seq) {
		one, err := m.candidate(attempt, value)
		if err != nil {
			return d, err
		}
		d.Candidates = append(d.Candidates, one)
	}
	return d, nil
}

// planOf is the datatype Plan.
type planOf struct {
	Outcome, Ineligible Word
	Before              []Word
	Chosen              []candidateOf
}

// candidateOf is the datatype Candidate.
type candidateOf struct {
	Position int
	Victims  []struct {
		Pod      Pod
		Violated []int
	}
}

// candidate reads a candidate and asks for its score.
func (m *Model) candidate(attempt, value dafny.Value) (Candidate, error) {
	from := candidateOf{}
	if err := read(value, &from); err != nil {
		return Candidate{}, err
	}
	c := Candidate{Node: from.Position}
	for _, v := range from.Victims {
		c.Victims = append(c.Victims, Victim{v.Pod.Name, v.Violated})
	}

	score, err := m.program.Call("scoreOf", attempt, value)
	if err != nil {
		return c, err
	}
	return c, read(score, &c.Score)
}

// attemptOf returns a case as the datatype Attempt.
func (m *Model) attemptOf(c Case) (dafny.Value, error) {
	var fields []dafny.Value
	for _, part := range []any{c.Cluster, c.Pod, c.Now, c.Ranks} {
		value, err := m.write(part)
		if err != nil {
			return nil, err
		}
		fields = append(fields, value)
	}
	return m.program.Make("Attempt", fields...)
}

// Admit returns what the model decides about an admission: admit.
func (m *Model) Admit(a Admission) (Admitted, error) {
	var args []dafny.Value
	for _, part := range []any{a.Node, a.Active, a.Pod} {
		value, err := m.write(part)
		if err != nil {
			return Admitted{}, err
		}
		args = append(args, value)
	}
	result, err := m.program.Call("admit", args...)
	if err != nil {
		return Admitted{}, err
	}

	data := result.(*dafny.Data)
	answer := Admitted{Outcome: Word(data.Constructor)}
	if missing, ok := data.Field("missing"); ok {
		return answer, read(missing, &answer.Missing)
	}
	if evictions, ok := data.Field("evictions"); ok {
		var tiers [][]Active
		if err := read(evictions, &tiers); err != nil {
			return answer, err
		}
		for _, tier := range tiers {
			names := []int{}
			for _, p := range tier {
				names = append(names, p.Name)
			}
			answer.Evictions = append(answer.Evictions, names)
		}
	}
	return answer, nil
}

// Valid reports whether the theorems speak of a case: valid of its cluster.
func (m *Model) Valid(c Case) (bool, error) {
	cluster, err := m.write(c.Cluster)
	if err != nil {
		return false, err
	}
	valid, err := m.program.Call("valid", cluster)
	return valid == dafny.Bool(true), err
}
