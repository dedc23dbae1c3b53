package console

import (
	"encoding/json"
	"io"

	"sigs.k8s.io/yaml"
)

// JSON writes a document for programs.
func JSON(w io.Writer, document any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(document)
}

// YAML writes the document that JSON would write, as YAML.
func YAML(w io.Writer, document any) error {
	text, err := json.Marshal(document)
	if err != nil {
		return err
	}
	if text, err = yaml.JSONToYAML(text); err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}
