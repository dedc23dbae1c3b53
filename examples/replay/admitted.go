package main

import (
	"bytes"
	"encoding/json"
	"slices"
)

// admitted returns a case, which is a line of JSON, without the tolerations of
// its preemptor whose operator no API server lets in. The cases were drawn for
// the scheduler's own code, with no API server before it, where such a toleration
// tolerates nothing, so that the decision is the same. This module refuses them
// (rule 26.1.1). A line that has none of them is returned as it is.
func admitted(line []byte) ([]byte, error) {
	if !bytes.Contains(line, []byte(`"tolerations"`)) {
		return line, nil
	}
	var c map[string]json.RawMessage
	if err := json.Unmarshal(line, &c); err != nil {
		return nil, err
	}
	changed, err := within(c, []string{"preemptor", "spec"}, func(spec map[string]json.RawMessage) (bool, error) {
		var all, kept []map[string]any
		if len(spec["tolerations"]) == 0 {
			return false, nil
		}
		if err := json.Unmarshal(spec["tolerations"], &all); err != nil {
			return false, err
		}
		for _, t := range all {
			if known(t["operator"]) {
				kept = append(kept, t)
			}
		}
		var err error
		spec["tolerations"], err = json.Marshal(kept)
		return len(kept) < len(all), err
	})
	if err != nil || !changed {
		return line, err
	}
	return json.Marshal(c)
}

func known(operator any) bool {
	return operator == nil || slices.Contains([]any{"", "Equal", "Exists", "Lt", "Gt"}, operator)
}

// within calls change with the object at a path, and writes it back if it has changed.
func within(o map[string]json.RawMessage, path []string, change func(map[string]json.RawMessage) (bool, error)) (bool, error) {
	if len(path) == 0 {
		return change(o)
	}
	text := o[path[0]]
	if len(text) == 0 {
		return false, nil
	}
	var below map[string]json.RawMessage
	if err := json.Unmarshal(text, &below); err != nil {
		return false, err
	}
	changed, err := within(below, path[1:], change)
	if err != nil || !changed {
		return false, err
	}
	o[path[0]], err = json.Marshal(below)
	return true, err
}
