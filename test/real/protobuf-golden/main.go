// Compares kubeflect's protobuf with Go's.
//
//	generate SEED COUNT GROUP/VERSION...   random objects of each kind: document as base64, tab, JSON that Go prints for it
//	print                                  reads documents as base64 lines, prints the JSON of each
package main

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"sort"
	"strconv"
	"time"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"sigs.k8s.io/randfill"
)

var known = runtime.NewScheme()
var serializer = protobuf.NewSerializer(known, known)

func main() {
	must(scheme.AddToScheme(known))
	must(apiextensions.AddToScheme(known))
	must(apiregistration.AddToScheme(known))
	meta.AddToGroupVersion(known, schema.GroupVersion{Version: "v1"})
	must(meta.AddMetaToScheme(known))
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	defer out.Flush()
	if os.Args[1] == "print" {
		printAll(out)
		return
	}
	seed, err := strconv.ParseInt(os.Args[2], 10, 64)
	must(err)
	count, err := strconv.Atoi(os.Args[3])
	must(err)
	generate(out, seed, count, os.Args[4:])
}

func printAll(out *bufio.Writer) {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<28)
	for lines.Scan() {
		document, err := base64.StdEncoding.DecodeString(lines.Text())
		must(err)
		text, err := jsonOf(document)
		if err != nil {
			text = []byte("error: " + err.Error())
		}
		fmt.Fprintf(out, "%s\n", text)
	}
}

func generate(out *bufio.Writer, seed int64, count int, versions []string) {
	served := map[schema.GroupVersion]bool{}
	for _, argument := range versions {
		version, err := schema.ParseGroupVersion(argument)
		must(err)
		served[version] = true
	}
	var kinds []schema.GroupVersionKind
	for kind, goType := range known.AllKnownTypes() {
		_, isObject := goType.FieldByName("ObjectMeta")
		_, isList := goType.FieldByName("ListMeta")
		if served[kind.GroupVersion()] && (isObject || isList) && kind.Kind != "List" {
			kinds = append(kinds, kind)
		}
	}
	sort.Slice(kinds, func(a, b int) bool { return kinds[a].String() < kinds[b].String() })
	for _, kind := range kinds {
		source := rand.New(rand.NewSource(seed))
		for i := range count {
			object, err := known.New(kind)
			must(err)
			filler(source, i).Fill(object)
			object.GetObjectKind().SetGroupVersionKind(kind)
			document, err := runtime.Encode(serializer, object)
			must(err)
			text, err := jsonOf(document)
			if err != nil {
				fmt.Fprintf(os.Stderr, "%s: %v\n", kind, err)
				continue
			}
			fmt.Fprintf(out, "%s\t%s\n", base64.StdEncoding.EncodeToString(document), text)
		}
	}
}

// What Go prints for a document, after it has decoded it.
func jsonOf(document []byte) ([]byte, error) {
	object, _, err := serializer.Decode(document, nil, nil)
	if err != nil {
		return nil, err
	}
	return json.Marshal(object)
}

var texts = []string{
	"", "", "a", "app", "__proto__", "constructor", "Größe", "日本語", "🙂", "<&>\u2028", "\"quoted\"\\\n", "team-1/web",
	"0a1b2c3d-1f0c-4c55-9a61-00000000beef", "true", "0", "12", "a text that is longer than those that are usually repeated, and not ASCII: é",
}

var quantities = []string{
	"0", "1", "100m", "1Gi", "512Mi", "1.5Gi", "2.5", "1000", "1e3", "1E3", "1000m", "1024Ki", "0.5", "-1", "-500m", "123456789", "1u", "1n", "5Ki",
	"1e-3", "0.001", "3.14159", "1000000", "1024", "8Gi", "0.1n", "9223372036854775807", "12345678901234567890", "1Ei", "100E", "1.50", "+1", "007", ".5", "1.", "1500m", "16Ki", "0Mi", "1e18", "2e-9",
}

var jsonTexts = []string{`{}`, `1`, `"x"`, `{"a":1}`, `{"a":{"b":[1,2,{"c":null}]},"__proto__":{"d":true}}`, `[]`, `[1,"2"]`, `true`}

// Random objects: empty ones, sparse ones, full ones.
func filler(source *rand.Rand, round int) *randfill.Filler {
	nilChance := []float64{1, 0.9, 0.6, 0.3, 0.05}[round%5]
	pick := func(from []string) string { return from[source.Intn(len(from))] }
	isZero := func() bool { return source.Float64() < nilChance }
	return randfill.New().RandSource(source).NilChance(nilChance).NumElements(0, 2).MaxDepth(12).Funcs(
		func(value *string, _ randfill.Continue) {
			if !isZero() {
				*value = pick(texts)
			}
		},
		func(value *int32, _ randfill.Continue) {
			if !isZero() {
				*value = []int32{0, 1, -1, 127, 128, 8080, 2147483647, -2147483648}[source.Intn(8)]
			}
		},
		func(value *int64, _ randfill.Continue) {
			if !isZero() {
				*value = []int64{0, 1, -1, 300, 1 << 31, 1 << 40, 1<<53 - 1, -(1 << 50)}[source.Intn(8)]
			}
		},
		func(value *float64, _ randfill.Continue) {
			if !isZero() {
				*value = []float64{0, 1, -1.5, 1e21, 1e-7, 123456.789}[source.Intn(6)]
			}
		},
		func(value *[]byte, _ randfill.Continue) {
			if !isZero() {
				*value = []byte(pick(texts))
			}
		},
		func(value *meta.TypeMeta, _ randfill.Continue) {},
		func(value *runtime.TypeMeta, _ randfill.Continue) {},
		func(value *meta.Time, _ randfill.Continue) {
			if !isZero() {
				*value = meta.Unix([]int64{0, 1, -1, 1770000000, 951782400, -62135596800, 253402300799, 4102444800, -2208988800}[source.Intn(9)], 0)
			}
		},
		func(value *meta.MicroTime, _ randfill.Continue) {
			if !isZero() {
				*value = meta.MicroTime{Time: time.Unix([]int64{0, 1, -1, 1770000000, -62135596800}[source.Intn(5)], []int64{0, 1000, 123456789, 999999999}[source.Intn(4)])}
			}
		},
		func(value *meta.Duration, _ randfill.Continue) {
			if !isZero() {
				value.Duration = []time.Duration{0, 1, 1500, 1500000, time.Second, 90 * time.Second, 36*time.Hour + 1, -time.Minute}[source.Intn(8)]
			}
		},
		func(value *resource.Quantity, _ randfill.Continue) {
			if !isZero() {
				*value = resource.MustParse(pick(quantities))
			}
		},
		func(value *intstr.IntOrString, _ randfill.Continue) {
			if isZero() {
				return
			}
			if source.Intn(2) == 0 {
				*value = intstr.FromInt32(int32(source.Intn(70000) - 1000))
			} else {
				*value = intstr.FromString(pick(texts))
			}
		},
		func(value *runtime.RawExtension, _ randfill.Continue) {
			if !isZero() {
				value.Raw = []byte(pick(jsonTexts))
			}
		},
		func(value *meta.FieldsV1, _ randfill.Continue) {
			value.SetRawBytes([]byte(pick(jsonTexts)))
		},
		func(value *apiextensions.JSON, _ randfill.Continue) {
			value.Raw = []byte(pick(jsonTexts))
		},
		func(value *apiextensions.JSONSchemaPropsOrArray, c randfill.Continue) {
			value.Schema = &apiextensions.JSONSchemaProps{Type: pick(texts)}
			if source.Intn(2) == 0 {
				value.Schema, value.JSONSchemas = nil, []apiextensions.JSONSchemaProps{{Title: pick(texts)}, {}}
			}
		},
		func(value *apiextensions.JSONSchemaPropsOrBool, c randfill.Continue) {
			value.Allows = source.Intn(2) == 0
			if source.Intn(2) == 0 {
				value.Allows, value.Schema = true, &apiextensions.JSONSchemaProps{Type: pick(texts)}
			}
		},
		func(value *apiextensions.JSONSchemaPropsOrStringArray, c randfill.Continue) {
			value.Property = []string{"a", pick(texts)}
			if source.Intn(2) == 0 {
				value.Property, value.Schema = nil, &apiextensions.JSONSchemaProps{Type: pick(texts)}
			}
		},
	)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
