import java.io.File;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import org.deidentifier.arx.ARXAnonymizer;
import org.deidentifier.arx.ARXConfiguration;
import org.deidentifier.arx.ARXResult;
import org.deidentifier.arx.AttributeType;
import org.deidentifier.arx.AttributeType.Hierarchy;
import org.deidentifier.arx.AttributeType.MicroAggregationFunction;
import org.deidentifier.arx.Data;
import org.deidentifier.arx.DataHandle;
import org.deidentifier.arx.DataType;
import org.deidentifier.arx.criteria.KAnonymity;
import org.deidentifier.arx.metric.Metric;

/**
 * Runs ARX's local recoding: TABLE K RELEASE HIERARCHIES NUMERIC PRIVATE FORM.
 *
 * <p>With FORM "sets" classes found on the hierarchies are published as intervals and sets, with
 * "hierarchy" as nodes. Rounds of one percent of the records, as ARX's own window has them.
 */
public final class ArxLocal {
    private static final double ROUND = 0.01;

    public static void main(String[] words) throws Exception {
        Data data = Data.create(new File(words[0]), StandardCharsets.UTF_8, ',');
        int k = Integer.parseInt(words[1]);
        Set<String> numeric = new TreeSet<>(Arrays.asList(words[4].split(",")));
        boolean sets = words[6].equals("sets");
        DataHandle input = data.getHandle();
        for (int column = 0; column < input.getNumColumns(); column++) {
            String name = input.getAttributeName(column);
            if (name.equals(words[5])) {
                data.getDefinition().setAttributeType(name, AttributeType.INSENSITIVE_ATTRIBUTE);
                continue;
            }
            File tree = new File(words[3], name + ".csv");
            data.getDefinition()
                    .setAttributeType(name, Hierarchy.create(tree, StandardCharsets.UTF_8, ','));
            if (numeric.contains(name)) {
                data.getDefinition().setDataType(name, DataType.INTEGER);
            }
            if (sets) {
                MicroAggregationFunction published = numeric.contains(name)
                        ? MicroAggregationFunction.createInterval()
                        : MicroAggregationFunction.createSet();
                data.getDefinition().setMicroAggregationFunction(name, published, true);
            }
        }
        ARXConfiguration configuration = ARXConfiguration.create();
        configuration.addPrivacyModel(new KAnonymity(k));
        configuration.setSuppressionLimit(1.0 - ROUND);
        configuration.setQualityModel(Metric.createLossMetric(0.0));

        long start = System.nanoTime();
        ARXResult result = new ARXAnonymizer().anonymize(data, configuration);
        DataHandle output = result.getOutput(false);
        result.optimizeIterativeFast(output, ROUND);
        double wall = (System.nanoTime() - start) / 1e9;
        double cpu = ProcessHandle.current().info().totalCpuDuration()
                .map(spent -> spent.toNanos() / 1e9).orElse(wall);

        output.save(new File(words[2]), ',');
        System.out.printf("{\"wall\": %.3f, \"cpu\": %.3f}%n", wall, cpu);
    }
}
