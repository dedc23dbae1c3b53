package proof_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/internal/proof"
)

func TestUpdate(t *testing.T) {
	if *update {
		m := model(t)
		writeKept(t, casesFile, keptCases, proof.DrawCase, m.Decide)
		writeKept(t, admissionsFile, keptAdmissions, proof.DrawAdmission, m.Admit)
	}
}

// The kept answers are those of the definitions that are proven.
func TestModel(t *testing.T) {
	m := model(t)
	agree(t, "what is proven", readCases(t), part(), func(t *testing.T, c proof.Case) proof.Decision {
		d, err := m.Decide(c)
		require.NoError(t, err)
		return d
	})
	agree(t, "what is proven", readAdmissions(t), part(), func(t *testing.T, a proof.Admission) proof.Admitted {
		d, err := m.Admit(a)
		require.NoError(t, err)
		return d
	})
}

// The theorems speak of clusters that are valid.
func TestCasesAreValid(t *testing.T) {
	m := model(t)
	for i, k := range readCases(t) {
		if i%part() != 0 {
			continue
		}
		valid, err := m.Valid(k.Question)
		require.NoError(t, err)
		require.True(t, valid, "case %d is none that a theorem speaks of", i)
	}
}

// Cases that never come to a part of the model say nothing about it.
func TestCasesAreVaried(t *testing.T) {
	seen := map[string]int{}
	for _, k := range readCases(t) {
		d := k.Answer
		seen[string(d.Outcome)]++
		seen[string(d.Ineligible)]++
		if d.Outcome == "Preempts" && len(d.Candidates) > 1 {
			seen["a choice between nodes"]++
		}
		for _, c := range d.Candidates {
			if len(c.Victims) > 1 {
				seen["several victims"]++
			}
			for _, v := range c.Victims {
				if len(v.Violated) > 0 {
					seen["a violated budget"]++
				}
				if len(v.Violated) > 1 {
					seen["several violated budgets"]++
				}
			}
		}
	}
	for _, k := range readAdmissions(t) {
		seen[string(k.Answer.Outcome)]++
		tiers := 0
		for _, tier := range k.Answer.Evictions {
			tiers += min(len(tier), 1)
		}
		if tiers > 1 {
			seen["several tiers"]++
		}
	}

	for _, what := range []string{
		"Fits", "NotEligible", "NothingHelps", "Preempts", "PolicyNever", "VictimsTerminating", "a choice between nodes",
		"several victims", "a violated budget", "several violated budgets",
		"Admitted", "Rejected", "AdmittedAfterEvicting", "several tiers",
	} {
		assert.GreaterOrEqual(t, seen[what], 50, "%s: too rare in the kept cases", what)
	}
	t.Log(seen)
}

// Each error that the proofs reject also changes the answer to a kept case, so that the cases are as sharp.
func TestErrorsShow(t *testing.T) {
	files, err := proof.Files()
	require.NoError(t, err)
	mutants, err := proof.Mutants()
	require.NoError(t, err)
	cases := readCases(t)
	admissions := readAdmissions(t)

	for _, m := range mutants {
		t.Run(m.What, func(t *testing.T) {
			planted, err := m.Plant(files)
			require.NoError(t, err)
			wrong, err := proof.NewModel(planted...)
			require.NoError(t, err)
			if m.File == "kubelet.dfy" {
				assert.True(t, differs(admissions, wrong.Admit), "no kept admission shows it")
			} else {
				assert.True(t, differs(cases, wrong.Decide), "no kept case shows it")
			}
		})
	}
}

// differs reports whether an answer is another one than the kept one. A model with an error may fail altogether.
func differs[Q, A any](list []kept[Q, A], ask func(Q) (A, error)) bool {
	for _, k := range list {
		got, err := ask(k.Question)
		if err != nil || !cmp.Equal(k.Answer, got, cmpopts.EquateEmpty()) {
			return true
		}
	}
	return false
}

// Nothing is taken for granted: no lemma without a proof, nothing assumed, nothing left unverified.
func TestNothingIsAssumed(t *testing.T) {
	files, err := proof.Files()
	require.NoError(t, err)
	for _, f := range files {
		lemma := ""
		for i, line := range strings.Split(f.Text, "\n") {
			code, _, _ := strings.Cut(line, "//")
			code = strings.Replace(code, "lemma {:induction false} ", "lemma ", 1) // takes a help away
			for _, word := range []string{"assume", "axiom", "{:", "extern"} {
				assert.NotContains(t, code, word, "%s:%d", f.Name, i+1)
			}

			// The braces of a proof stand at the beginning of a line.
			switch {
			case strings.HasPrefix(code, "lemma "):
				lemma = code
			case strings.HasPrefix(code, "{"):
				lemma = ""
			case code == "":
				assert.Empty(t, lemma, "%s:%d: a lemma without a proof", f.Name, i+1)
			}
		}
	}
}
