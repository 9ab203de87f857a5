// Prints the Go types of the built-in kinds as JSON: their fields in Go's order, with JSON names, pointers, omission rules
// and protobuf numbers. The generator of src/resources combines this with OpenAPI, which lacks these facts.
//
// The numbers are measured, not only read from the tags: each field is set in an otherwise empty struct, and the number is
// the one whose encoding changes.
package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"
	"time"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

type field struct {
	Name string `json:"name,omitempty"`
	// A letter or type name as in src/resources/schema.ts, with `[`, `{` and `@` before it.
	Shape     string `json:"shape"`
	Number    int    `json:"number,omitempty"`
	Pointer   bool   `json:"pointer,omitempty"`
	OmitEmpty bool   `json:"omitEmpty,omitempty"`
	OmitZero  bool   `json:"omitZero,omitempty"`
	// The fields of the struct are fields of this one in JSON, but a message of their own in protobuf.
	Inline bool `json:"inline,omitempty"`
}

var letters = map[reflect.Type]string{
	reflect.TypeFor[meta.Time]():                                  "t",
	reflect.TypeFor[meta.MicroTime]():                             "u",
	reflect.TypeFor[meta.FieldsV1]():                              "*",
	reflect.TypeFor[runtime.RawExtension]():                       "*",
	reflect.TypeFor[apiextensions.JSON]():                         "*",
	reflect.TypeFor[apiextensions.JSONSchemaPropsOrBool]():        "B",
	reflect.TypeFor[apiextensions.JSONSchemaPropsOrArray]():       "A",
	reflect.TypeFor[apiextensions.JSONSchemaPropsOrStringArray](): "P",
	reflect.TypeFor[intstr.IntOrString]():                         "x",
	reflect.TypeFor[resource.Quantity]():                          "q",
}

var types = map[string][]field{}

func main() {
	known := runtime.NewScheme()
	must(scheme.AddToScheme(known))
	must(apiextensions.AddToScheme(known))
	must(apiregistration.AddToScheme(known))
	served := map[schema.GroupVersion]bool{}
	for _, argument := range os.Args[1:] {
		version, err := schema.ParseGroupVersion(argument)
		must(err)
		served[version] = true
	}
	for kind, goType := range known.AllKnownTypes() {
		if served[kind.GroupVersion()] {
			visit(goType)
		}
	}
	for _, value := range []any{
		meta.Status{}, meta.DeleteOptions{}, meta.WatchEvent{}, meta.PartialObjectMetadata{}, meta.PartialObjectMetadataList{},
		meta.APIGroupList{}, meta.APIResourceList{}, meta.APIVersions{}, meta.List{},
	} {
		visit(reflect.TypeOf(value))
	}
	encoder := json.NewEncoder(os.Stdout)
	must(encoder.Encode(types))
}

func visit(goType reflect.Type) {
	name := nameOf(goType)
	if _, present := types[name]; present {
		return
	}
	types[name] = nil
	fields := []field{}
	for i := range goType.NumField() {
		member := goType.Field(i)
		jsonName, options, _ := strings.Cut(member.Tag.Get("json"), ",")
		isInline := strings.Contains(options, "inline") || (member.Anonymous && jsonName == "")
		if member.Type == reflect.TypeFor[meta.TypeMeta]() {
			fields = append(fields,
				field{Name: "kind", Shape: "s", OmitEmpty: true},
				field{Name: "apiVersion", Shape: "s", OmitEmpty: true})
			continue
		}
		if jsonName == "-" {
			continue
		}
		found := field{
			Name:      jsonName,
			Number:    numberOf(goType, i),
			OmitEmpty: strings.Contains(options, "omitempty"),
			OmitZero:  strings.Contains(options, "omitzero"),
			Inline:    isInline,
		}
		if isInline {
			found.Name = ""
		}
		of := member.Type
		if of.Kind() == reflect.Pointer {
			found.Pointer = true
			of = of.Elem()
		}
		found.Shape = shapeOf(of)
		fields = append(fields, found)
	}
	types[name] = fields
}

func shapeOf(goType reflect.Type) string {
	if letter, present := letters[goType]; present {
		return letter
	}
	switch goType.Kind() {
	case reflect.String:
		return "s"
	case reflect.Bool:
		return "b"
	case reflect.Int32:
		return "i"
	case reflect.Int64:
		return "l"
	case reflect.Float64:
		return "n"
	case reflect.Pointer:
		return shapeOf(goType.Elem())
	case reflect.Slice:
		if goType.Elem().Kind() == reflect.Uint8 {
			return "y"
		}
		// A named slice with an encoder of its own is a message with the items in field 1.
		if goType.Name() != "" && reflect.PointerTo(goType).Implements(reflect.TypeFor[marshaler]()) {
			return "@[" + shapeOf(goType.Elem())
		}
		return "[" + shapeOf(goType.Elem())
	case reflect.Map:
		if goType.Key().Kind() != reflect.String {
			panic("a map with keys of " + goType.Key().String())
		}
		return "{" + shapeOf(goType.Elem())
	case reflect.Struct:
		visit(goType)
		return nameOf(goType)
	}
	panic("no shape for " + goType.String())
}

// core/v1.PodSpec, as in src/resources/schema.ts.
func nameOf(goType reflect.Type) string {
	parts := strings.Split(goType.PkgPath(), "/")
	return strings.Join(parts[len(parts)-2:], "/") + "." + goType.Name()
}

type marshaler interface{ Marshal() ([]byte, error) }

func numberOf(goType reflect.Type, index int) int {
	tag := goType.Field(index).Tag.Get("protobuf")
	if !reflect.PointerTo(goType).Implements(reflect.TypeFor[marshaler]()) || tag == "" || tag == "-" {
		return 0
	}
	empty, full := reflect.New(goType), reflect.New(goType)
	fill(full.Elem().Field(index), 3)
	before, after := messageFields(empty), messageFields(full)
	measured := 0
	for number, bytes := range after {
		if before[number] != bytes {
			if measured != 0 {
				panic(fmt.Sprintf("%s: field %d changes two numbers", goType, index))
			}
			measured = number
		}
	}
	tagged, _ := strconv.Atoi(strings.Split(tag, ",")[1])
	if measured == 0 {
		fmt.Fprintf(os.Stderr, "%s.%s is not encoded\n", goType, goType.Field(index).Name)
		return 0
	}
	if measured != tagged {
		fmt.Fprintf(os.Stderr, "%s.%s: the tag says %d, the encoder %d\n", goType, goType.Field(index).Name, tagged, measured)
	}
	return measured
}

// Sets a value that differs from zero.
func fill(value reflect.Value, depth int) {
	switch special := value.Addr().Interface().(type) {
	case *meta.Time:
		*special = meta.Unix(1, 0)
		return
	case *meta.MicroTime:
		special.Time = time.Unix(1, 0)
		return
	case *resource.Quantity:
		*special = resource.MustParse("1")
		return
	}
	switch value.Kind() {
	case reflect.String:
		value.SetString("x")
	case reflect.Bool:
		value.SetBool(true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		value.SetInt(1)
	case reflect.Float64:
		value.SetFloat(1)
	case reflect.Uint8:
		value.SetUint(0x31)
	case reflect.Pointer:
		value.Set(reflect.New(value.Type().Elem()))
		if depth > 0 {
			fill(value.Elem(), depth-1)
		}
	case reflect.Slice:
		value.Set(reflect.MakeSlice(value.Type(), 1, 1))
		if depth > 0 {
			fill(value.Index(0), depth-1)
		}
	case reflect.Map:
		value.Set(reflect.MakeMap(value.Type()))
		item := reflect.New(value.Type().Elem()).Elem()
		if depth > 0 {
			fill(item, depth-1)
		}
		value.SetMapIndex(reflect.ValueOf("x").Convert(value.Type().Key()), item)
	case reflect.Struct:
		for i := range value.NumField() {
			if value.Type().Field(i).IsExported() && depth > 0 && value.Type().Field(i).Type.Kind() != reflect.Interface {
				fill(value.Field(i), depth-1)
			}
		}
	}
}

func messageFields(value reflect.Value) map[int]string {
	bytes, err := value.Interface().(marshaler).Marshal()
	must(err)
	fields := map[int]string{}
	for len(bytes) > 0 {
		key, size := binary.Uvarint(bytes)
		rest := bytes[size:]
		length := 0
		switch key & 7 {
		case 0:
			_, length = binary.Uvarint(rest)
		case 1:
			length = 8
		case 2:
			payload, prefix := binary.Uvarint(rest)
			length = prefix + int(payload)
		case 5:
			length = 4
		default:
			panic(fmt.Sprintf("wire type %d", key&7))
		}
		fields[int(key>>3)] += string(rest[:length])
		bytes = rest[length:]
	}
	return fields
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
