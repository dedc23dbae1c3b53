package worlds

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubescheduler/ledger"
	"github.com/outrank-go/outrank/preemption/scheduler/config"
)

// configured is the file of which fields are changed.
func configured(t *testing.T) Object {
	text, err := os.ReadFile("testdata/configuration/file.json")
	require.NoError(t, err)
	var file Object
	require.NoError(t, decode(text, &file))
	return file
}

// partOf returns the object of a kind in the file: the file itself, or arguments of a plugin in the first profile.
func partOf(file Object, kind string) Object {
	if kindOf(file) == kind {
		return file
	}
	for _, c := range file["profiles"].([]any)[0].(Object)["pluginConfig"].([]any) {
		if args := c.(Object)["args"].(Object); kindOf(args) == kind {
			return args
		}
	}
	return nil
}

// settings is what a file means here: what decisions go by, and the texts about what is not followed.
type settings struct {
	read config.Configuration
	told []string
}

// settingsOf reads the file with a change.
func settingsOf(file Object, t Trial) (*settings, error) {
	file = clone(file)
	part := partOf(file, t.Kind)
	if t.Path != "" {
		if _, err := put(part, stepsOf(t.Path), t.At, t.Value); err != nil {
			return nil, err
		}
	}
	text, err := json.Marshal(file)
	if err != nil {
		return nil, err
	}
	read, err := config.Read(outrank.V1_37, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}

	s := &settings{read: *read}
	for i := range s.read.Profiles {
		p := &s.read.Profiles[i]
		for _, text := range append(p.Unsupported, p.UnsupportedScores...) {
			s.told = append(s.told, fmt.Sprint(text))
		}
		p.Unsupported, p.UnsupportedScores = nil, nil
	}
	return s, nil
}

// plugins are values of the fields of a configuration.
var plugins = []any{"NodeAffinity", "Mine", "*", "DefaultPreemption", "LeastAllocated", "System", "my-scheduler", "x", "PrioritySort", "InterPodAffinity", "filter", "5s",
	"zone", "b", "NotIn", "cpu", "memory", "example.com/other", "metadata.name", "n2", "ScheduleAnyway", "Ignore", "Honor"}

// configurationTrials lists the trials of a field of a configuration.
func configurationTrials(file Object, kind string, f ledger.Field) (all []Trial) {
	values := candidates[f.Type]
	if f.Type == ledger.Text {
		values = plugins
	}
	for _, p := range places(partOf(file, kind), stepsOf(f.Path), keys) {
		t := Trial{World: "configuration", Kind: kind, Object: "file", Path: f.Path, At: p.at, Present: p.present}
		if p.present {
			all = append(all, t)
		}
		for _, v := range values {
			t.Value = v
			all = append(all, t)
		}
	}
	return all
}

// shownBy says what a trial shows: that the field decides, that it is told, or nothing. A new entry is compared with
// the entry without the field.
func shownBy(file Object, t Trial) ledger.Verdict {
	after, err := settingsOf(file, t)
	if err != nil {
		return ledger.Unknown
	}
	without := t
	if without.Value = nil; t.Present {
		without.Path = ""
	}
	before, err := settingsOf(file, without)
	if err != nil {
		before, err = settingsOf(file, Trial{Kind: t.Kind})
	}
	switch {
	case err != nil:
		return ledger.Unknown
	case !reflect.DeepEqual(before.told, after.told):
		return ledger.Told
	case !reflect.DeepEqual(before.read, after.read):
		return ledger.Decides
	}
	return ledger.Cannot
}

// TestFindConfiguration prints a line for each field of a configuration, as TestFind does for objects.
func TestFindConfiguration(t *testing.T) {
	if !*find {
		t.Log("nothing to do without -find")
		return
	}
	file := configured(t)
	for _, k := range ledger.Configurations() {
		for _, f := range ledger.Fields(k.Type, "") {
			best := map[ledger.Verdict]string{}
			for _, trial := range configurationTrials(file, k.Name, f) {
				if v := shownBy(file, trial); best[v] == "" {
					best[v] = trial.String()
				}
			}
			for _, v := range []ledger.Verdict{ledger.Decides, ledger.Told, ledger.Cannot, ledger.Unknown} {
				if best[v] != "" {
					fmt.Fprintln(os.Stderr, k.Name+"."+f.Path, v, best[v])
					break
				}
			}
		}
	}
}

// Each line about a field of a configuration is as it says.
func TestFieldsOfAConfiguration(t *testing.T) {
	text, err := os.ReadFile("../CONFIGURATION.txt")
	require.NoError(t, err)
	table, err := ledger.Parse(string(text))
	require.NoError(t, err)
	verdicts := map[string]ledger.Line{}
	for _, l := range table.Lines {
		verdicts[l.Path] = l
	}

	file := configured(t)
	for _, k := range ledger.Configurations() {
		for _, f := range ledger.Fields(k.Type, "") {
			l := verdicts[k.Name+"."+f.Path]
			switch {
			case l.Verdict == ledger.Cannot:
				for _, trial := range configurationTrials(file, k.Name, f) {
					v := shownBy(file, trial)
					assert.True(t, v == ledger.Cannot || v == ledger.Unknown, "%s: %s %s", l.Path, trial, v)
				}
			case strings.HasPrefix(l.Where, "by "):
			default:
				trial, err := ParseTrial(k.Name, f.Path, l.Where)
				require.NoError(t, err, l.Path)
				for _, p := range places(partOf(file, k.Name), stepsOf(f.Path), nil) {
					trial.Present = trial.Present || p.present && strings.Join(p.at, ", ") == strings.Join(trial.At, ", ")
				}
				shown := shownBy(file, trial)
				if shown == ledger.Unknown && l.Verdict == ledger.Told { // told as an error
					_, err := settingsOf(file, trial)
					assert.True(t, names(err.Error(), f.Path), "%s: %s: %v", l.Path, trial, err)
					continue
				}
				assert.Equal(t, l.Verdict, shown, "%s: %s", l.Path, trial)
			}
		}
	}
}
